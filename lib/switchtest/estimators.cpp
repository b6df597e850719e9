// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/estimators.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace softfeb::switchtest {

namespace {

constexpr double kZ = 1.959963984540054;                  // 97.5 % quantile of the normal distribution
constexpr double kHalfChiSquare = 3.841458820694124 / 2;  // 95 % quantile, one degree of freedom

/// Returns the 97.5 % quantile of Student's t distribution, approximated by Hill's expansion. The error is
/// below 1 % if there are at least 2 degrees of freedom.
double student(double freedom) {
  if (freedom < 1) return 0;
  if (freedom < 2) return 12.706;
  const double z2 = kZ * kZ;
  const double g1 = (z2 + 1) * kZ / 4;
  const double g2 = ((5 * z2 + 16) * z2 + 3) * kZ / 96;
  const double g3 = (((3 * z2 + 19) * z2 + 17) * z2 - 15) * kZ / 384;
  return kZ + g1 / freedom + g2 / (freedom * freedom) + g3 / (freedom * freedom * freedom);
}

}  // namespace

void CommonInterval::add(double low, double high) {
  low_ = std::max(low_, low);
  high_ = std::min(high_, high);
  least_ = std::min(least_, low);
  most_ = std::max(most_, high);
}

Interval CommonInterval::result() const {
  const double low = agree() ? low_ : least_, high = agree() ? high_ : most_;
  return {low + (high - low) / 2, low, high};
}

Interval wilson(std::uint64_t hits, std::uint64_t n) {
  if (n == 0) return {0, 0, 1};
  const double size = static_cast<double>(n), p = static_cast<double>(hits) / size;
  const double z2 = kZ * kZ;
  const double centre = (p + z2 / (2 * size)) / (1 + z2 / size);
  const double half = kZ / (1 + z2 / size) * std::sqrt(p * (1 - p) / size + z2 / (4 * size * size));
  return {p, hits == 0 ? 0 : centre - half, hits == n ? 1 : centre + half};
}

double loss_limit(std::uint64_t n) { return n == 0 ? 1 : std::min(1.0, 3.0 / static_cast<double>(n)); }

double jain(std::span<const double> shares) {
  double sum = 0, squares = 0;
  for (const double s : shares) {
    sum += s;
    squares += s * s;
  }
  return squares == 0 ? 1 : sum * sum / (static_cast<double>(shares.size()) * squares);
}

Interval median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return {(values[(n - 1) / 2] + values[n / 2]) / 2, values.front(), values.back()};
}

Line fit_line(std::span<const double> x, std::span<const double> y) {
  const double n = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sxx += (x[i] - mean_x) * (x[i] - mean_x);
    sxy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  Line out;
  out.slope = sxy / sxx;
  out.intercept = mean_y - out.slope * mean_x;
  if (x.size() < 3) return out;
  double residual = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double e = y[i] - out.intercept - out.slope * x[i];
    residual += e * e;
  }
  const double variance = residual / (n - 2), t = student(n - 2);
  out.slope_error = t * std::sqrt(variance / sxx);
  out.intercept_error = t * std::sqrt(variance * (1 / n + mean_x * mean_x / sxx));
  return out;
}

Interval maximize(const std::function<double(double)>& log_likelihood, double low, double high) {
  constexpr int kSteps = 80;
  constexpr double kGolden = 0.6180339887498949;
  double a = low, b = high;
  double c = b - kGolden * (b - a), d = a + kGolden * (b - a);
  double fc = log_likelihood(c), fd = log_likelihood(d);
  for (int i = 0; i < kSteps && b - a > 1e-12 * std::max(1.0, std::abs(b)); ++i) {
    if (fc >= fd) {
      b = d;
      d = c;
      fd = fc;
      c = b - kGolden * (b - a);
      fc = log_likelihood(c);
    } else {
      a = c;
      c = d;
      fc = fd;
      d = a + kGolden * (b - a);
      fd = log_likelihood(d);
    }
  }
  const double best = (a + b) / 2, top = log_likelihood(best);
  const auto edge = [&](double outside) {
    if (log_likelihood(outside) >= top - kHalfChiSquare) return outside;
    double in = best, out = outside;
    for (int i = 0; i < kSteps; ++i) {
      const double middle = (in + out) / 2;
      (log_likelihood(middle) >= top - kHalfChiSquare ? in : out) = middle;
    }
    return out;
  };
  return {best, edge(low), edge(high)};
}

double chi_square_p(double statistic, unsigned k) {
  if (k == 0) return 1;
  // Regularised upper incomplete gamma function Q(k/2, x/2), by series or continued fraction.
  const double a = k / 2.0, x = std::max(0.0, statistic) / 2;
  if (x == 0) return 1;
  const double front = std::exp(-x + a * std::log(x) - std::lgamma(a));
  constexpr int kMost = 10'000;
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (int n = 1; n < kMost && term > sum * 1e-15; ++n) sum += term *= x / (a + n);
    return std::max(0.0, 1 - sum * front);
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int n = 1; n < kMost; ++n) {
    const double an = -n * (n - a);
    b += 2;
    d = 1 / std::max(an * d + b, 1e-300);
    c = std::max(b + an / c, 1e-300);
    const double step = d * c;
    h *= step;
    if (std::abs(step - 1) < 1e-15) break;
  }
  return front * h;
}

}  // namespace softfeb::switchtest
