// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/delays.hpp"

#include <algorithm>
#include <cmath>

namespace softfeb::switchtest {

namespace {

double in_nanoseconds(Time time) { return static_cast<double>(time) / kNanosecond; }

Interval exact_interval(double value) { return {value, value, value}; }

/// Returns the interval of a percentile, which is the histogram bucket that contains the percentile.
Interval percentile_of(const latency::StageHistogram& delays, std::uint64_t per_mille) {
  using latency::StageHistogram;
  const Time value = delays.percentile(per_mille);
  const std::size_t bucket = StageHistogram::bucket_of(value);
  const Time low = std::max(delays.min(), StageHistogram::lower(bucket));
  const Time high = std::min(delays.max(), StageHistogram::lower(bucket + 1));
  return {in_nanoseconds(value), in_nanoseconds(std::min(low, value)), in_nanoseconds(std::max(high, value))};
}

}  // namespace

DelayStats delay_stats(const latency::StageHistogram& delays, Time variation) {
  if (delays.count() == 0) return {};
  const double mean = in_nanoseconds(delays.sum()) / static_cast<double>(delays.count());
  return {exact_interval(in_nanoseconds(delays.min())),
          exact_interval(mean),
          percentile_of(delays, 500),
          percentile_of(delays, 950),
          percentile_of(delays, 990),
          percentile_of(delays, 999),
          exact_interval(in_nanoseconds(delays.max())),
          exact_interval(in_nanoseconds(variation))};
}

DelayStats combined(std::span<const DelayStats> trials) {
  DelayStats out;
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::vector<double> values;
    out[i] = trials.front()[i];
    for (const DelayStats& trial : trials) {
      values.push_back(trial[i].value);
      out[i].low = std::min(out[i].low, trial[i].low);
      out[i].high = std::max(out[i].high, trial[i].high);
    }
    out[i].value = median(std::move(values)).value;
  }
  return out;
}

Serialization fit_serialization(std::span<const double> wire_bytes, std::span<const double> delay_ns,
                                std::uint64_t rate_in, std::uint64_t rate_out) {
  constexpr double kPerSecond = 1e9;
  const Line line = fit_line(wire_bytes, delay_ns);
  const double slower = static_cast<double>(std::min(rate_in, rate_out)) / kPerSecond;
  const double faster = static_cast<double>(std::max(rate_in, rate_out)) / kPerSecond;
  const double count = 1 + (line.slope - 1 / slower) * faster, error = line.slope_error * faster;
  return {{line.intercept, line.intercept - line.intercept_error, line.intercept + line.intercept_error},
          {count, count - error, count + error}};
}

const char* forwarding_of(const Serialization& serialization) {
  constexpr double kTolerance = 0.1;
  if (std::abs(serialization.count.value - 2) < kTolerance) return "store-and-forward";
  return std::abs(serialization.count.value - 1) < kTolerance ? "cut-through" : nullptr;
}

}  // namespace softfeb::switchtest
