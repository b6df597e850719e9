// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "dataplane/cpu_shares.hpp"
#include "dataplane/rings.hpp"
#include "engine/stage_clock.hpp"

#include <array>
#include <cstdint>

namespace softfeb::dataplane {

/// Divides a worker's time into stages. The time of every iteration counts as busy or idle. Stages are
/// measured only in about one of 64 iterations, because reading the TSC several times in every iteration
/// would slow the worker down. The busy time is divided in the proportions measured in these iterations. The
/// caller reads the TSC and passes its values.
class CpuAccount {
 public:
  static constexpr unsigned kMeasureOneOf = 64;

  /// Accounts for an iteration. `length` does not include time for which the worker was preempted. `busy`
  /// tells whether the iteration did any work.
  void add(Time length, bool busy) {
    if (length >= left_) {
      add_across(length, busy);
      return;
    }
    left_ -= length;
    if (busy) busy_ += length;
  }

  /// Call at the start of each iteration: true if its stages are to be measured.
  bool measures_next() {
    if (--countdown_ != 0) return false;
    // The number of iterations between two measured ones is pseudo-random. With a constant number, work that
    // recurs periodically could be measured always or never.
    random_ = random_ * 1'664'525 + 1'013'904'223;
    countdown_ = kMeasureOneOf / 2 + 1 + (random_ >> 26);
    return true;
  }
  void begin(std::uint64_t tsc) {
    last_ = tsc;
    stage_ = engine::Stage::kOther;
    current_ = {};
  }
  void enter(engine::Stage stage, std::uint64_t tsc) {
    current_[static_cast<std::size_t>(stage_)] += tsc - last_;
    last_ = tsc;
    stage_ = stage;
  }
  /// Ends a measured iteration at `tsc`. If `busy` is false, the iteration is not counted.
  void end(std::uint64_t tsc, bool busy);

  /// Complete samples, which one other thread may read. While the ring is full, samples are lost.
  SpscRing<CpuSample>& samples() { return samples_; }

 private:
  void add_across(Time length, bool busy);
  void close_sample();

  Time left_ = kCpuInterval;  ///< time left in the current sample
  Time busy_ = 0;
  unsigned countdown_ = kMeasureOneOf;
  std::uint32_t random_ = 1;
  std::uint64_t last_ = 0;
  engine::Stage stage_ = engine::Stage::kOther;
  /// Cycles of the iteration being measured, by stage.
  std::array<std::uint64_t, engine::kStages> current_{};
  /// Cycles of the measured iterations since the previous sample, by stage.
  std::array<std::uint64_t, engine::kStages> measured_{};
  /// Proportions of the busy time, by stage, from the latest sample with measured iterations.
  std::array<float, engine::kStages> proportions_{};
  SpscRing<CpuSample> samples_{1024};
};

}  // namespace softfeb::dataplane
