// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/log_histogram.hpp"
#include "base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

namespace softfeb::detector {

/// Percentiles by nearest rank. For example, p99 is the ⌈0.99 · count⌉-th smallest value.
struct LatencyPercentiles {
  Time min = 0;
  Time p50 = 0;
  Time p90 = 0;
  Time p99 = 0;
  Time p999 = 0;
  Time max = 0;

  bool operator==(const LatencyPercentiles&) const = default;
};

/// Latencies of a run of any length, in bounded memory. With up to `exact` values, the percentiles are exact.
/// With more values, the percentiles come from a histogram. Their error is then at most 0.8 % or half a
/// nanosecond, whichever is larger; min and max remain exact. Only the constructor allocates; it also touches
/// all of the memory.
class LatencySummary {
 public:
  explicit LatencySummary(std::size_t exact, std::pmr::memory_resource* memory);

  void add(Time latency);
  std::uint64_t count() const { return histogram_.count(); }
  /// Sorts the exact values, so do not call it on the packet path. All results are 0 if nothing was added.
  LatencyPercentiles percentiles();
  /// Histogram of all values, in nanoseconds. May be read at any time.
  const LogHistogram& histogram() const { return histogram_; }

 private:
  Time exact_rank(std::uint64_t per_mille) const;
  Time histogram_rank(std::uint64_t per_mille) const;

  LogHistogram histogram_;
  std::pmr::vector<Time> exact_;
  std::size_t most_exact_;
  Time min_ = kNever;
  Time max_ = 0;
};

}  // namespace softfeb::detector
