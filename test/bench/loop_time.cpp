// SPDX-License-Identifier: BSD-3-Clause
#include "loop_time.hpp"

#include <rte_cycles.h>

namespace softfeb::bench {

Json LoopTime::json() const {
  static constexpr std::array<const char*, kLimits.size()> kNames = {"64_ns", "256_ns", "1_us",
                                                                     "10_us", "100_us", "1_ms"};
  Json above;
  for (std::size_t k = 0; k < kLimits.size(); ++k) {
    above[std::string("above_") + kNames[k]] = {{"turns", count_[k]},
                                                {"share_of_time", to_seconds(time_[k]) / to_seconds(total_)}};
  }
  return {{"turns", turns_},
          {"mean_ns", to_seconds(total_) / static_cast<double>(turns_) * 1e9},
          {"longest_ns", to_seconds(longest_) * 1e9},
          {"stolen_share", preempted()},
          {"longer_turns", above}};
}

Json Idling::json() const {
  Json out = loop.json();
  out["late_ns"] = distribution(late);
  return out;
}

Idling idle_for(Time duration, const dataplane::TscClock& clock) {
  Idling t;
  std::vector<Time> late(duration / kMicrosecond + 1);  // written before, so the stores below need no fetch
  std::size_t n = 0;
  const Time begin = clock.time(rte_rdtsc());
  Time due = begin + kMicrosecond;
  for (Time last = begin; last - begin < duration;) {
    const Time now = clock.time(rte_rdtsc());
    t.loop.turn(now - last);
    last = now;
    for (; due <= now && n < late.size(); due += kMicrosecond) late[n++] = now - due;
  }
  t.late.reserve(n);
  for (std::size_t k = 0; k < n; ++k) t.late.push_back(static_cast<double>(late[k]) * 1e-3);
  return t;
}

}  // namespace softfeb::bench
