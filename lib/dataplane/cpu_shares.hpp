// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/share_histogram.hpp"
#include "base/time.hpp"
#include "engine/stage_clock.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

/// How a worker spends its time. This header includes no DPDK header, so that code that evaluates results can
/// be built without DPDK.
namespace softfeb::dataplane {

/// Length of a sample, in time during which the worker was not preempted.
inline constexpr Time kCpuInterval = 10 * kMillisecond;

/// One sample: fractions of its length, from 0 to 1.
struct CpuSample {
  /// Fraction of the time that the worker spent in iterations in which packets arrived or left. In all other
  /// iterations, it polled, slept or handled commands.
  float busy = 0;
  /// Parts of `busy`, by engine::Stage. Their sum is `busy`, unless no busy iteration was measured yet.
  std::array<float, engine::kStages> stages{};
};

/// Distribution of a worker's samples.
struct CpuShares {
  ShareHistogram busy;
  std::array<ShareHistogram, engine::kStages> stages;
  ShareHistogram idle;  ///< distribution of 1 - CpuSample::busy

  void add(const CpuSample& s) {
    busy.add(s.busy);
    for (std::size_t i = 0; i < s.stages.size(); ++i) stages[i].add(s.stages[i]);
    idle.add(1 - s.busy);
  }
};

/// Seconds that a worker has spent, excluding time for which it was preempted. The sum of all members is the
/// length of the samples that were added.
struct CpuTimes {
  std::array<double, engine::kStages> stages{};  ///< time of busy iterations, by engine::Stage
  double idle = 0;

  void add(const CpuSample& s) {
    const double length = to_seconds(kCpuInterval);
    double other = s.busy;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      stages[i] += length * s.stages[i];
      other -= s.stages[i];
    }
    // If no busy iteration has been measured yet, the stages of the busy time are unknown. This time counts
    // as kOther.
    if (other > 0) stages[static_cast<std::size_t>(engine::Stage::kOther)] += length * other;
    idle += length * (1 - s.busy);
  }
};

}  // namespace softfeb::dataplane
