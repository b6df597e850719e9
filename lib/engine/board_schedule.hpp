// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "engine/board.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::engine {

/// From when to when a board makes traffic, after the beginning of the run's.
struct BoardTimes {
  Time start = 0;
  Time stop = kNever;  ///< what is posted goes on
};

/// Starts and stops boards at their times. Sans-I/O: the caller says what time it is.
class BoardSchedule {
 public:
  /// `board` outlives this. Before begin().
  void add(Board& board, const BoardTimes& times);

  /// Traffic begins at `at`.
  void begin(Time at) { begin_ = at; }
  /// Nobody is started or stopped any more.
  void cancel() { next_ = events_.size(); }

  /// When run() has something to do; kNever.
  Time next() const { return next_ < events_.size() ? saturating_add(begin_, events_[next_].at) : kNever; }
  /// Starts and stops those whose time has come; a board that is late starts late. True when there was one.
  bool run(Time now);

 private:
  struct Event {
    Time at = 0;  ///< since traffic began
    Board* board = nullptr;
    bool start = true;
  };

  void insert(const Event& event);

  std::vector<Event> events_;  ///< by time
  std::size_t next_ = 0;
  Time begin_ = kNever;
};

}  // namespace softfeb::engine
