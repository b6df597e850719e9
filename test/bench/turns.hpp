// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "environment.hpp"

#include <cstdint>

#include <time.h>

namespace softfeb::bench {

/// Work done by a loop in some time. With other processes on the CPU, the thread does not run all the time;
/// the work per CPU time stays the same, apart from shared caches.
struct Tally {
  std::uint64_t packets = 0;
  Time elapsed = 0;
  Time cpu = 0;  ///< CPU time of the thread

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

/// CPU time of this thread.
inline Time thread_time() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<Time>(t.tv_sec) * kSecond + static_cast<Time>(t.tv_nsec) * kNanosecond;
}

/// Runs iterations for this time; `turn(now)` returns the number of packets. Reads the time once per
/// iteration, like a worker.
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
