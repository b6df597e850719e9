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

/// A start or stop of boards, and how long it took until all boards that send after this change had
/// reached their new fair shares of the bottleneck.
struct ChangeStats {
  Change change;
  /// Time from the change to the start of the first 10 ms in which every sending board was within 10 % of its
  /// fair share. Empty if that did not happen before the next change or the end.
  std::optional<Time> converged;
};

/// Measures how fast boards converge to their fair shares.
class Convergence {
 public:
  static constexpr Time kWindow = 10 * kMillisecond;

  /// Starts the measurement for `change` and ends the previous one.
  void begin(const Change& change);
  /// True if some boards have not reached their new fair shares since the latest change.
  bool pending() const { return !all_.empty() && !all_.back().converged; }
  /// Adds a sample: `delivered` bytes per board up to `at`; `fair` is each board's fair share in bytes per
  /// second.
  void add(Time at, std::span<const std::uint64_t> delivered, std::span<const std::uint64_t> fair);

  const std::vector<ChangeStats>& changes() const { return all_; }

 private:
  struct Moment {
    Time at = 0;
    std::vector<std::uint64_t> delivered;
  };

  bool all_near(const Moment& from, const Moment& to, std::span<const std::uint64_t> fair) const;

  std::vector<ChangeStats> all_;
  std::deque<Moment> moments_;  ///< samples within the last kWindow, and the one sample before these
};

}  // namespace softfeb::lab
