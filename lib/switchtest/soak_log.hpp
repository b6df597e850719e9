// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "latency/stage_histogram.hpp"
#include "switchtest/estimators.hpp"
#include "switchtest/trial.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace softfeb::switchtest {

/// Returns a quantile of a histogram, interpolated within the bucket that contains the quantile; 0 for an
/// empty histogram.
double quantile(const latency::StageHistogram& histogram, double share);

/// Results of the test `soak`. The size of the log depends on the number of samples, but not on the number of
/// frames.
class SoakLog {
 public:
  /// Maximum number of missing frames that are listed; further missing frames are only counted.
  static constexpr std::size_t kMostMissing = 10'000;

  struct Sample {
    Time at = 0;  ///< end of the sample
    std::uint64_t missing = 0;
    /// Delays in nanoseconds; 0 if no frame arrived, or if times were wrong.
    double p50 = 0, p99 = 0, max = 0;
  };
  struct Missing {
    std::uint16_t kind = 0;
    std::uint64_t sequence = 0;  ///< position among all frames of the kind, over all samples
    Time before = 0;             ///< the frame departed before this time, but after the previous sample
  };

  /// Adds a valid trial with Trial::list_missing, which began at `began` and ended at `ended`.
  void add(TrialResult& result, Time began, Time ended);

  const std::vector<Sample>& samples() const { return samples_; }
  const std::vector<Missing>& missing() const { return missing_; }
  /// Number of samples with wrong times (TrialResult::disturbance). These samples have no delays.
  std::size_t disturbed() const { return disturbed_; }
  const KindStats& totals() const { return totals_; }
  std::uint64_t foreign() const { return foreign_; }
  /// Returns the slope of p99 in nanoseconds per hour, or std::nullopt if fewer than three samples have
  /// delays.
  std::optional<Interval> drift() const;

 private:
  std::vector<Sample> samples_;
  std::vector<Missing> missing_;
  std::vector<std::uint64_t> sent_;  ///< for each kind, the number of frames that earlier samples sent
  std::size_t disturbed_ = 0;
  KindStats totals_;  ///< only the counts are valid
  std::uint64_t foreign_ = 0;
};

}  // namespace softfeb::switchtest
