// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/share_histogram.hpp"
#include "base/time.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <time.h>

namespace softfeb::sink {

/// A thread of this process, and the clock of its CPU time.
struct ThreadClock {
  std::string name;
  clockid_t clock = 0;
};
/// Returns all threads that this process has now. Threads that start later are not included.
std::vector<ThreadClock> threads_of_process();
/// Returns the time of a clock, or 0 if the clock cannot be read, for example because the thread has ended.
Time read_clock(clockid_t clock);

/// Measures the CPU time of threads: the total, and the share in each interval of 10 ms (doc/rdma-sink.md).
class CpuTimes {
 public:
  static constexpr Time kInterval = 10 * kMillisecond;
  using Read = std::function<Time(clockid_t)>;

  /// `read` returns the CPU time of a thread.
  CpuTimes(std::vector<ThreadClock> threads, Time now, Read read = read_clock);

  /// Takes a sample if one is due. Call this function often: if several intervals have passed since the last
  /// sample, the CPU time is divided equally among them.
  void advance(Time now) {
    if (now >= due_) sample(now);
  }
  /// Returns the array `cpu` of the report, which has one object for each thread. In each object, `busy` is
  /// null if no sample was taken.
  nlohmann::json report() const;

 private:
  struct Thread {
    ThreadClock clock;
    Time begin = 0;  ///< CPU time at the start
    Time last = 0;   ///< CPU time at the latest sample
    ShareHistogram shares{};
  };

  void sample(Time now);

  Read read_;
  std::vector<Thread> threads_;
  Time sampled_;
  Time due_;
};

}  // namespace softfeb::sink
