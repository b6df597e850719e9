// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "dataplane/tsc_clock.hpp"
#include "statistics.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace softfeb::bench {

/// How long the turns of a loop took. Turns longer than a microsecond are told in classes: a loop that does
/// nothing has none of its own, so whatever it shows is the machine's.
class LoopTime {
 public:
  /// Nothing in these loops takes so long: the machine gave the CPU to others.
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
  /// Share of the time in turns longer than kAway.
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
  /// How late each microsecond's beginning was seen, ns: what a program has of its own that is never busy
  /// when something is due.
  std::vector<double> late;
  /// loop.json(), and the distribution of `late`.
  Json json() const;
};

/// A loop that does nothing but read the time stamp counter.
Idling idle_for(Time duration, const dataplane::TscClock& clock);

}  // namespace softfeb::bench
