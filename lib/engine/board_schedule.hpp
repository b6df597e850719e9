// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "engine/board.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::engine {

/// Times at which a board starts and stops generating traffic, relative to the experiment's start of traffic.
struct BoardTimes {
  Time start = 0;
  /// Time at which Board::stop_traffic() is called; not earlier than `start`. kNever if it is never called.
  Time stop = kNever;
};

/// Starts and stops boards at their scheduled times. Sans-I/O: the caller supplies the time.
class BoardSchedule {
 public:
  /// Call before begin(). `board` must outlive this object.
  void add(Board& board, const BoardTimes& times);

  /// Sets the start of traffic to `at`.
  void begin(Time at) { begin_ = at; }
  /// Discards all remaining events.
  void cancel() { next_ = events_.size(); }

  /// Time of the next event; kNever if there is none.
  Time next() const { return next_ < events_.size() ? saturating_add(begin_, events_[next_].at) : kNever; }
  /// Processes all events that are due; an overdue board starts late. Returns true if any event was due.
  bool run(Time now);

 private:
  struct Event {
    Time at = 0;  ///< relative to the start of traffic
    Board* board = nullptr;
    bool start = true;
  };

  void insert(const Event& event);

  std::vector<Event> events_;  ///< sorted by time
  std::size_t next_ = 0;
  Time begin_ = kNever;
};

}  // namespace softfeb::engine
