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

/// Ratio of the bytes that a board sent to the bytes that it could have sent. The bytes that it could have
/// sent are computed from the smallest of link rate, requested rate and Rc, and exclude the time for which
/// the board was paused. A low ratio shows that the host is too slow for its boards. The error is about one
/// percent, because Rc is averaged between samples.
class Offered {
 public:
  /// `link_rate` is in bytes per second on the wire; 0 means that no link rate is set. `asked` is in payload
  /// bytes per second; 0 means that it is unlimited. `owners` lists one QP of the board for each
  /// CongestionControl object, so that a shared object counts once.
  Offered(std::uint64_t link_rate, std::uint64_t asked, std::vector<std::size_t> owners);

  /// Adds a snapshot taken `length` after the previous one. `sending` is true if the board sent throughout.
  void add(const engine::EndpointSnapshot& board, Time length, bool sending);

  /// Returns nullopt until the board could have sent something.
  std::optional<Share> share() const;

 private:
  struct Counts {
    std::uint64_t wire = 0;     ///< bytes sent, including preamble, FCS and inter-frame gap
    std::uint64_t counted = 0;  ///< bytes sent, as congestion control counts them
    std::uint64_t payload = 0;
    std::uint64_t rc = 0;  ///< current Rc; 0 means no congestion control
    Time paused = 0;
  };

  Counts counts_of(const engine::EndpointSnapshot& board) const;
  /// Returns the allowed rate on the wire in bytes per second, or std::nullopt if it is unlimited.
  std::optional<std::uint64_t> rate(const Counts& now) const;

  std::uint64_t link_rate_;
  std::uint64_t asked_;
  std::vector<std::size_t> owners_;
  Counts last_;
  std::uint64_t sent_ = 0;
  std::uint64_t allowed_ = 0;
};

}  // namespace softfeb::lab
