// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "environment.hpp"

#include <cstdint>

#include <time.h>

namespace softfeb::bench {

/// What a loop did in some time. Where others use the CPU as well the thread does not run all the time that
/// passes: what it does in its own time is the same then (caches apart, which it shares).
struct Tally {
  std::uint64_t packets = 0;
  Time elapsed = 0;
  Time cpu = 0;  ///< of it the thread ran

  Tally& operator+=(const Tally& other) {
    packets += other.packets;
    elapsed += other.elapsed;
    cpu += other.cpu;
    return *this;
  }
  double mpps() const { return per_us(elapsed); }
  double cpu_mpps() const { return per_us(cpu); }

 private:
  double per_us(Time t) const { return t == 0 ? 0 : static_cast<double>(packets) / to_seconds(t) * 1e-6; }
};

/// Time that this thread has run.
inline Time thread_time() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<Time>(t.tv_sec) * kSecond + static_cast<Time>(t.tv_nsec) * kNanosecond;
}

/// Turns for so long; `turn(now)` gives how many packets it made. Time is read once a turn, as a worker does.
template <typename Turn>
Tally turns_for(Time duration, const dataplane::TscClock& clock, Turn&& turn) {
  Tally t;
  const Time ran = thread_time();
  const Time begin = read_clock(clock);
  Time last = begin;
  while (last - begin < duration) {
    t.packets += turn(last);
    last = read_clock(clock);
  }
  t.elapsed = last - begin;
  t.cpu = thread_time() - ran;
  return t;
}

}  // namespace softfeb::bench
