// SPDX-License-Identifier: BSD-3-Clause
#include "lab/schedule.hpp"

#include <algorithm>
#include <set>

namespace softfeb::lab {

Schedule::Schedule(std::vector<Sending> boards, Time end) : boards_(std::move(boards)), end_(end) {
  for (Sending& s : boards_) {
    s.stop = std::min(s.stop, end);
    s.start = std::min(s.start, s.stop);
  }
}

void Schedule::finished(std::size_t b, Time at) {
  if (at > boards_[b].start) boards_[b].stop = std::min(boards_[b].stop, at);
}

bool Schedule::quiet(Time from, Time to) const {
  const auto between = [&](Time t) { return from < t && t < to; };
  return std::none_of(boards_.begin(), boards_.end(), [&](const Sending& s) {
    return s.start != s.stop && (between(s.start) || between(s.stop));
  });
}

std::vector<Change> Schedule::changes() const {
  std::set<Time> times;
  for (const Sending& s : boards_) {
    if (s.start == s.stop) continue;
    times.insert(s.start);
    times.insert(s.stop);
  }
  std::vector<Change> changes;
  for (const Time at : times) {
    Change c{at, {}, {}, {}};
    for (std::size_t b = 0; b < boards_.size(); ++b) {
      const Sending& s = boards_[b];
      if (s.start == s.stop) continue;
      if (s.start == at) c.starting.push_back(b);
      if (s.stop == at) c.stopping.push_back(b);
      if (s.start <= at && at < s.stop) c.sending.push_back(b);
    }
    if (!c.sending.empty()) changes.push_back(std::move(c));
  }
  return changes;
}

}  // namespace softfeb::lab
