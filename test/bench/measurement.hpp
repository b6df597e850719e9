// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "dataplane/tsc_clock.hpp"
#include "environment.hpp"
#include "statistics.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <time.h>

namespace softfeb::bench {

/// Work that a loop has done in some time. If other processes use the CPU, the thread runs only part of the
/// time. The work per CPU time then stays the same, apart from the effects of shared caches.
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

/// Returns the CPU time of this thread.
inline Time thread_time() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<Time>(t.tv_sec) * kSecond + static_cast<Time>(t.tv_nsec) * kNanosecond;
}

/// Calls `turn(now)` repeatedly for `duration`, and adds up the numbers of packets that it returns. Like a
/// worker, reads the time once per iteration.
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

/// A loop whose speed is compared with that of other loops.
struct Contestant {
  std::string name;
  std::function<std::vector<Tally>(Time)> go;  ///< runs for the given time; returns a tally per thread
  std::vector<double> mpps{};                  ///< one value per run
  std::vector<double> cpu_mpps{};
  /// for each run, the share of the time for which the loop's threads did not run
  std::vector<double> preempted{};
};

/// Runs all contestants `runs` times, for `duration` each time. Each run alternates ten times between the
/// contestants, so that disturbances by the machine affect all of them equally.
void compete(std::vector<Contestant>& all, unsigned runs, Time duration);

/// Returns median_mpps, min_mpps, max_mpps and runs, and also median_cpu_mpps and cpu_runs, which are
/// calculated from the threads' CPU time.
Json figures_of(const Contestant& c);

/// Adds two members to `out`: `name`, the median of a/b over all runs, and `name`_runs, the value of each
/// run. Both are computed from CPU time, so they are also valid on a busy machine.
void add_ratio(Json& out, const std::string& name, const Contestant& a, const Contestant& b);

/// Makes the compiler treat `value` as used.
template <typename T>
inline void keep_value(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

/// Costs of small pieces of work, in nanoseconds of CPU time. The pieces are measured in alternation.
class Costs {
 public:
  /// `work(n)` must execute the piece n times.
  void add(std::string name, std::function<void(std::uint64_t)> work) {
    pieces_.push_back({std::move(name), std::move(work), {}, 1});
  }
  /// Measures each piece `runs` times. A first measurement determines how often the piece is repeated in a
  /// run, so that a run takes about a quarter of `duration` or longer.
  void measure(unsigned runs, Time duration);

  /// Returns {median, min, max} over the runs of each piece, by its name. `figure` converts a cost in
  /// nanoseconds to the value that is reported.
  Json json(const std::function<double(double)>& figure = [](double ns) { return ns; }) const;

 private:
  struct Piece {
    std::string name;
    std::function<void(std::uint64_t)> work;
    std::vector<double> ns;
    std::uint64_t times;
  };
  static Time time_of(const Piece& piece);

  std::vector<Piece> pieces_;
};

/// Durations of the iterations of a loop. Iterations longer than 64 ns are counted in classes by their
/// length. An iteration of an empty loop takes much less than a microsecond, so an iteration longer than
/// kAway shows that the thread was preempted.
class LoopTime {
 public:
  /// Duration above which the thread must have been preempted.
  static constexpr Time kAway = 10 * kMicrosecond;

  void turn(Time gap) {
    ++turns_;
    total_ += gap;
    longest_ = gap > longest_ ? gap : longest_;
    for (std::size_t k = 0; k < kLimits.size() && gap > kLimits[k]; ++k) {
      ++count_[k];
      time_[k] += gap;
    }
  }
  Json json() const;
  /// Returns the share of the time spent in iterations longer than kAway.
  double preempted() const { return total_ == 0 ? 0 : to_seconds(time_[3]) / to_seconds(total_); }

 private:
  static constexpr std::array<Time, 6> kLimits = {
      64 * kNanosecond, 256 * kNanosecond, 1 * kMicrosecond, kAway, 100 * kMicrosecond, 1 * kMillisecond};
  std::array<std::uint64_t, kLimits.size()> count_{};
  std::array<Time, kLimits.size()> time_{};
  std::uint64_t turns_ = 0;
  Time total_ = 0;
  Time longest_ = 0;
};

/// The machine's own jitter, measured with an empty loop.
struct Idling {
  LoopTime loop;
  /// One value for each microsecond of the run: the time in ns from the beginning of that microsecond until
  /// the loop read the clock. If an event is due at the beginning of that microsecond, even a program that
  /// only waits for the event is at least this late.
  std::vector<double> late;
  /// Returns loop.json() and the distribution of `late`.
  Json json() const;
};

/// Runs a loop that only reads the time stamp counter.
Idling idle_for(Time duration, const dataplane::TscClock& clock);

}  // namespace softfeb::bench
