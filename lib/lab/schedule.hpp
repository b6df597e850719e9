// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstddef>
#include <vector>

namespace softfeb::lab {

/// Interval in which a board generates traffic, relative to the start of traffic.
struct Sending {
  Time start = 0;
  Time stop = kNever;
};

/// Start or stop of one or more boards.
struct Change {
  Time at = 0;
  std::vector<std::size_t> starting, stopping;
  std::vector<std::size_t> sending;  ///< boards that send after the change
};

/// The times at which boards send.
class Schedule {
 public:
  /// All boards stop at `end` at the latest.
  Schedule(std::vector<Sending> boards, Time end);

  /// Records that at time `at`, board `b` had sent and completed all its messages.
  void finished(std::size_t b, Time at);

  std::size_t boards() const { return boards_.size(); }
  Time end() const { return end_; }
  const Sending& operator[](std::size_t b) const { return boards_[b]; }
  /// True if the board sends from `from` to `to` without a break.
  bool sends(std::size_t b, Time from, Time to) const {
    return boards_[b].start <= from && to <= boards_[b].stop;
  }
  /// True if no board starts or stops between `from` and `to`.
  bool quiet(Time from, Time to) const;
  /// Returns true if the state is steady from `from` to `to`, that is, if no board starts or stops in this
  /// interval or within kSettling before it.
  bool steady(Time from, Time to) const { return from >= kSettling && quiet(from - kSettling, to); }
  /// Returns the starts and stops in time order, except stops after which no board sends.
  std::vector<Change> changes() const;

  static constexpr Time kSettling = 200 * kMillisecond;

 private:
  std::vector<Sending> boards_;
  Time end_;
};

}  // namespace softfeb::lab
