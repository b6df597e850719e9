// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/threshold_fit.hpp"

#include <algorithm>
#include <limits>

namespace softfeb::switchtest {

namespace {

/// Returns the range of s for which some constant t satisfies low ≤ t − s·used ≤ high for all points. Such a
/// constant exists if and only if one exists for each pair of points.
Interval share_range(const std::vector<HeldPoint>& points) {
  Interval out{0, 0, 1};
  for (const HeldPoint& a : points)
    for (const HeldPoint& b : points) {
      if (a.used < b.used) {
        const double distance = b.used - a.used;
        out.low = std::max(out.low, (a.low - b.high) / distance);
        out.high = std::min(out.high, (a.high - b.low) / distance);
      } else if (a.used == b.used && a.low > b.high) {
        out.high = -1;
      }
    }
  return out;
}

bool have_one_use(const std::vector<HeldPoint>& points) {
  return std::all_of(points.begin(), points.end(),
                     [&](const HeldPoint& p) { return p.used == points.front().used; });
}

double alpha_of(double share) { return share / (1 - share); }

}  // namespace

std::optional<ThresholdFit> fit_threshold(const std::vector<HeldPoint>& points) {
  if (points.empty() || have_one_use(points)) return std::nullopt;
  const Interval range = share_range(points);
  if (range.low > range.high) return std::nullopt;
  std::vector<double> x, y;
  for (const HeldPoint& p : points) {
    x.push_back(p.used);
    y.push_back(p.held);
  }
  const Line line = fit_line(x, y);
  ThresholdFit out{.share = std::clamp(-line.slope, range.low, range.high),
                   .share_low = range.low,
                   .share_high = range.high};
  constexpr double kNearlyOne = 1 - 1e-9, kLeastShare = 1e-9;
  out.alpha = alpha_of(std::min(out.share, kNearlyOne));
  out.alpha_low = alpha_of(std::min(range.low, kNearlyOne));
  if (range.high < kNearlyOne) out.alpha_high = alpha_of(range.high);
  double high = std::numeric_limits<double>::infinity();
  for (const HeldPoint& p : points) {
    out.pool_low = std::max(out.pool_low, p.used + p.low / std::max(range.high, kLeastShare));
    if (range.low > 0) high = std::min(high, p.used + p.high / range.low);
  }
  if (range.low > 0) out.pool_high = high;
  out.pool = line.slope < 0 ? -line.intercept / line.slope : out.pool_low;
  out.pool = std::clamp(out.pool, out.pool_low, std::max(out.pool_low, high));
  return out;
}

}  // namespace softfeb::switchtest
