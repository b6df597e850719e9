// SPDX-License-Identifier: BSD-3-Clause
#include "engine/board_schedule.hpp"

#include <algorithm>

namespace softfeb::engine {

void BoardSchedule::add(Board& board, const BoardTimes& times) {
  insert({times.start, &board, true});
  if (times.stop != kNever) insert({std::max(times.start, times.stop), &board, false});
}

/// Inserts the event after those with the same time, so that boards start in the order in which they were
/// added.
void BoardSchedule::insert(const Event& event) {
  const auto at = std::upper_bound(events_.begin(), events_.end(), event,
                                   [](const Event& a, const Event& b) { return a.at < b.at; });
  events_.insert(at, event);
}

bool BoardSchedule::run(Time now) {
  const std::size_t before = next_;
  for (; next_ < events_.size() && next() <= now; ++next_) {
    const Event& e = events_[next_];
    if (e.start) {
      e.board->start(now);
    } else {
      e.board->stop_traffic(now);
    }
  }
  return next_ != before;
}

}  // namespace softfeb::engine
