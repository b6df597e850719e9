// SPDX-License-Identifier: BSD-3-Clause
#include "lab/sawtooth.hpp"

#include <algorithm>
#include <cmath>

namespace softfeb::lab {

namespace {

/// Returns the average rate in a window, as a point in the middle of the window.
RatePoint point_of(const RateWindow& w, double bytes) {
  return {w.from + (w.to - w.from) / 2, bytes / to_seconds(w.to - w.from)};
}

double apart(double a, double b) { return b == 0 ? std::abs(a) : std::abs(a / b - 1); }

}  // namespace

Sawtooth sawtooth_of(std::span<const RatePoint> points, double swing) {
  Sawtooth out;
  Time first_peak = 0, last_peak = 0;
  std::size_t peaks = 0;
  RatePoint high, low;  // extremes of the current rise and fall
  bool falling = false;
  for (const RatePoint& p : points) {
    if (!falling) {
      if (p.rate >= high.rate) high = p;
      if (p.rate > high.rate * (1 - swing)) continue;
      falling = true;
      low = p;
      if (peaks++ == 0) first_peak = high.at;
      last_peak = high.at;
    } else {
      if (p.rate <= low.rate) low = p;
      if (p.rate < low.rate * (1 + swing)) continue;
      falling = false;
      out.depth += 1 - low.rate / high.rate;
      ++out.teeth;
      high = p;
    }
  }
  if (out.teeth != 0) out.depth /= static_cast<double>(out.teeth);
  if (peaks > 1) out.period = (last_peak - first_peak) / (peaks - 1);
  return out;
}

std::optional<double> SawtoothStats::difference() const {
  if (sent.teeth < 2 || predicted.teeth < 2 || predicted.period == 0) return std::nullopt;
  return std::max(apart(static_cast<double>(sent.period), static_cast<double>(predicted.period)),
                  apart(sent.depth, predicted.depth));
}

SawtoothStats compare_sawtooth(const RateOrigin& origin, std::span<const engine::CongestionEvent> events,
                               std::span<const SentSample> samples, std::uint32_t packet, double swing) {
  std::vector<RateWindow> windows;
  std::vector<RatePoint> sent, predicted;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const SentSample &from = samples[i - 1], &to = samples[i];
    if (to.at <= from.at || !credit_limited(from, to, packet)) continue;
    windows.push_back({from.at, to.at});
    // Credit that was added in the interval was either spent on packets or is still in the bucket. The bytes
    // sent plus the change of `credit` are therefore the credit that was added.
    const auto more = static_cast<double>(to.credit - from.credit);
    sent.push_back(point_of(windows.back(), static_cast<double>(to.counted - from.counted) + more));
  }
  const auto integrals = integrate_rate(origin, events, windows);
  for (std::size_t i = 0; i < windows.size(); ++i)
    predicted.push_back(point_of(windows[i], static_cast<double>(integrals[i])));
  return {sawtooth_of(sent, swing), sawtooth_of(predicted, swing)};
}

}  // namespace softfeb::lab
