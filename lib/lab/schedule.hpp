// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstddef>
#include <vector>

namespace softfeb::lab {

/// From when to when a board's traffic is made, since traffic began.
struct Sending {
  Time start = 0;
  Time stop = kNever;
};

/// Boards start or stop.
struct Change {
  Time at = 0;
  std::vector<std::size_t> starting, stopping;
  std::vector<std::size_t> sending;  ///< from then on
};

/// Which boards send when.
class Schedule {
 public:
  /// All of them stop at `end` at the latest.
  Schedule(std::vector<Sending> boards, Time end);

  /// Board `b` was seen at `at` to have made and completed everything it was asked for.
  void finished(std::size_t b, Time at);

  std::size_t boards() const { return boards_.size(); }
  Time end() const { return end_; }
  const Sending& operator[](std::size_t b) const { return boards_[b]; }
  /// It sends from `from` to `to`, without a break.
  bool sends(std::size_t b, Time from, Time to) const {
    return boards_[b].start <= from && to <= boards_[b].stop;
  }
  /// No board starts or stops between `from` and `to`.
  bool quiet(Time from, Time to) const;
  /// The state is steady from `from` to `to`: the same boards have been sending for kSettling before.
  bool steady(Time from, Time to) const { return from >= kSettling && quiet(from - kSettling, to); }
  /// The starts and stops, in the order of their times, except the last stop.
  std::vector<Change> changes() const;

  static constexpr Time kSettling = 200 * kMillisecond;

 private:
  std::vector<Sending> boards_;
  Time end_;
};

}  // namespace softfeb::lab
