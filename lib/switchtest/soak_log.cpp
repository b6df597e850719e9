// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/soak_log.hpp"

#include "switchtest/missing_list.hpp"

#include <algorithm>

namespace softfeb::switchtest {

double quantile(const latency::StageHistogram& histogram, double share) {
  const double rank = share * static_cast<double>(histogram.count());
  const auto least = static_cast<double>(histogram.min()), most = static_cast<double>(histogram.max());
  double seen = 0;
  for (std::size_t i = 0; i < latency::StageHistogram::kBuckets; ++i) {
    const auto n = static_cast<double>(histogram.bucket(i));
    if (n == 0 || seen + n < rank) {
      seen += n;
      continue;
    }
    const auto from = static_cast<double>(latency::StageHistogram::lower(i));
    const auto to = static_cast<double>(latency::StageHistogram::lower(i + 1));
    return std::clamp(from + (to - from) * (rank - seen) / n, least, most);
  }
  return most;
}

void SoakLog::add(TrialResult& result, Time began, Time ended) {
  list_last_frames(result);
  sent_.resize(result.kinds.size());
  for (const MissingFrame& f : result.missing) {
    if (missing_.size() == kMostMissing) break;
    const Time before = f.before == kNever ? ended : began + f.before;
    missing_.push_back({f.kind, sent_[f.kind] + f.sequence, before});
  }
  Sample sample{.at = ended};
  for (std::size_t k = 0; k < result.kinds.size(); ++k) {
    const KindStats& kind = result.kinds[k];
    sent_[k] += kind.sent;
    sample.missing += kind.missing();
    totals_.sent += kind.sent;
    totals_.arrived += kind.arrived;
    totals_.misdelivered += kind.misdelivered;
    totals_.duplicated += kind.duplicated;
    totals_.reordered += kind.reordered;
    totals_.damaged += kind.damaged;
  }
  foreign_ += result.foreign;
  if (!result.disturbance.empty()) {
    ++disturbed_;
    samples_.push_back(sample);
    return;
  }
  latency::StageHistogram delays;
  for (const auto& group : result.latency) delays.merge(group);
  const auto in_ns = [](double time) { return time / static_cast<double>(kNanosecond); };
  sample.p50 = in_ns(quantile(delays, 0.5));
  sample.p99 = in_ns(quantile(delays, 0.99));
  sample.max = in_ns(static_cast<double>(delays.max()));
  samples_.push_back(sample);
}

std::optional<Interval> SoakLog::drift() const {
  std::vector<double> hours, p99;
  for (const Sample& s : samples_) {
    if (s.max == 0) continue;
    hours.push_back(to_seconds(s.at) / 3600);
    p99.push_back(s.p99);
  }
  if (hours.size() < 3) return std::nullopt;
  const Line line = fit_line(hours, p99);
  return Interval{line.slope, line.slope - line.slope_error, line.slope + line.slope_error};
}

}  // namespace softfeb::switchtest
