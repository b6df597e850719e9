// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "dataplane/tsc_clock.hpp"
#include "statistics.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace softfeb::bench {

/// Durations of a loop's iterations. Iterations longer than a microsecond are counted in classes. An empty
/// loop has none of its own, so they show preemption by the machine.
class LoopTime {
 public:
  /// No iteration of these loops takes this long by itself: the thread was preempted.
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
  /// Share of the time in iterations longer than kAway.
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

/// The machine's own jitter.
struct Idling {
  LoopTime loop;
  /// Delay in ns until the beginning of each microsecond was observed: the unavoidable lateness of a program
  /// that is idle when something is due.
  std::vector<double> late;
  /// loop.json(), and the distribution of `late`.
  Json json() const;
};

/// A loop that only reads the time stamp counter.
Idling idle_for(Time duration, const dataplane::TscClock& clock);

}  // namespace softfeb::bench
