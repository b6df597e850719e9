// SPDX-License-Identifier: BSD-3-Clause
#include "detector/latency_summary.hpp"

#include <algorithm>

namespace softfeb::detector {

LatencySummary::LatencySummary(std::size_t exact, std::pmr::memory_resource* memory)
    : exact_(memory), most_exact_(exact) {
  // Write to all of the memory now. Otherwise, the kernel would provide its pages one after another on the
  // packet path, and the memory use would grow during a long run, as if there were a leak.
  exact_.resize(exact);
  exact_.clear();
}

void LatencySummary::add(Time latency) {
  histogram_.add(latency / kNanosecond);
  if (exact_.size() < most_exact_) exact_.push_back(latency);
  min_ = std::min(min_, latency);
  max_ = std::max(max_, latency);
}

LatencyPercentiles LatencySummary::percentiles() {
  if (count() == 0) return {};
  if (exact_.size() == count()) {
    std::sort(exact_.begin(), exact_.end());
    return {min_, exact_rank(500), exact_rank(900), exact_rank(990), exact_rank(999), max_};
  }
  return {min_, histogram_rank(500), histogram_rank(900), histogram_rank(990), histogram_rank(999), max_};
}

Time LatencySummary::exact_rank(std::uint64_t per_mille) const {
  const std::uint64_t rank = (exact_.size() * per_mille + 999) / 1000;
  return exact_[rank - 1];
}

Time LatencySummary::histogram_rank(std::uint64_t per_mille) const {
  // The histogram counts whole nanoseconds, rounded down. Add half a nanosecond to compensate for the
  // rounding.
  const double ns = histogram_.percentile(static_cast<double>(per_mille) / 1000) + 0.5;
  return std::clamp(static_cast<Time>(ns * static_cast<double>(kNanosecond)), min_, max_);
}

}  // namespace softfeb::detector
