// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "lab/schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace softfeb::lab {

/// A start or stop of boards, and how long the others took to find their new shares.
struct ChangeFigures {
  Change change;
  /// From it to the beginning of the first 10 ms in which every sending board got its fair share within 10 %;
  /// none: not before the next change or the end.
  std::optional<Time> converged;
};

/// Watches boards find their fair shares.
class Convergence {
 public:
  static constexpr Time kWindow = 10 * kMillisecond;

  /// `change` has happened; what came before is over.
  void begin(const Change& change);
  /// Somebody has not found the new share yet.
  bool pending() const { return !all_.empty() && !all_.back().converged; }
  /// By `at` `delivered` bytes of each board had arrived; `fair` is each board's fair share, bytes per
  /// second.
  void add(Time at, std::span<const std::uint64_t> delivered, std::span<const std::uint64_t> fair);

  const std::vector<ChangeFigures>& changes() const { return all_; }

 private:
  struct Moment {
    Time at = 0;
    std::vector<std::uint64_t> delivered;
  };

  bool all_near(const Moment& from, const Moment& to, std::span<const std::uint64_t> fair) const;

  std::vector<ChangeFigures> all_;
  std::deque<Moment> moments_;  ///< of the last kWindow, and one before
};

}  // namespace softfeb::lab
