// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "engine/snapshot.hpp"
#include "lab/fairness.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::lab {

/// What one board sent of what it was asked and allowed to: the smaller of its link's rate, its traffic's and
/// Rc, but for the time in which it was paused. A machine that is too slow for its boards shows here; to the
/// accuracy of Rc between samples, so about a percent.
class Offered {
 public:
  /// `link_rate` in bytes per second on the wire, 0: none; `asked` in payload bytes per second, 0: all it
  /// can. `owners`: of the board's queue pairs, those whose congestion control counts (of several that share
  /// one, one).
  Offered(std::uint64_t link_rate, std::uint64_t asked, std::vector<std::size_t> owners);

  /// `length` after the last call. `sending`: all that time.
  void add(const engine::EndpointSnapshot& board, Time length, bool sending);

  /// None before it could send anything.
  std::optional<Share> share() const;

 private:
  struct Counts {
    std::uint64_t wire = 0;     ///< bytes that left, preamble, FCS and gap included
    std::uint64_t counted = 0;  ///< as congestion control counts
    std::uint64_t payload = 0;
    std::uint64_t rc = 0;  ///< now; 0: no congestion control
    Time paused = 0;
  };

  Counts counts_of(const engine::EndpointSnapshot& board) const;
  /// On the wire; none: it has no limit.
  std::optional<std::uint64_t> rate(const Counts& now) const;

  std::uint64_t link_rate_;
  std::uint64_t asked_;
  std::vector<std::size_t> owners_;
  Counts last_;
  std::uint64_t sent_ = 0;
  std::uint64_t allowed_ = 0;
};

}  // namespace softfeb::lab
