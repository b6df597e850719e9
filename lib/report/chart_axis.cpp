// SPDX-License-Identifier: BSD-3-Clause
#include "report/chart_axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

/// Returns the smallest number of the form 1, 2 or 5 times a power of ten that is at least `step`.
double round_step(double step) {
  const double power = std::pow(10, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= step * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

}  // namespace

ChartAxis::ChartAxis(const std::vector<double>& values, Wish wish) {
  constexpr double kLargeRatio = 500, kFarApart = 0.3, kLargestValue = 1e300;
  if (values.empty()) {
    set_linear(0, 1, false, true);
    return;
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  double low = std::max(*least, -kLargestValue), high = std::min(*most, kLargestValue);
  const bool integers = high - low <= 12 && std::all_of(values.begin(), values.end(), [](double v) {
                          return std::abs(v) < 1e9 && v == std::floor(v);
                        });
  if (wish.logarithmic && low > 0 && high / low > kLargeRatio) {
    set_logarithmic(low, high);
    return;
  }
  if (wish.from_zero && low >= 0 && high - low > kFarApart * high) low = 0;
  if (!(high > low)) {
    const double room = high == 0 ? 1 : std::abs(high) * 0.1;
    if (low != 0) low -= room;
    high += room;
  }
  set_linear(low, high, integers, wish.to_ticks);
}

void ChartAxis::set_linear(double low, double high, bool integers, bool to_ticks) {
  constexpr double kSteps = 6;
  double step = round_step((high - low) / kSteps);
  if (integers) step = std::max(step, 1.0);
  if (to_ticks) {
    low_ = std::floor(low / step + 1e-9) * step;
    high_ = std::ceil(high / step - 1e-9) * step;
  } else {
    // Integers in a small range are usually identifiers, not amounts. Leave almost half a step at both ends.
    const double room = integers ? 0.4 : 0.015 * (high - low);
    low_ = low - room;
    high_ = high + room;
  }
  const double first = std::ceil(low_ / step - 1e-9) * step;
  for (int k = 0; first + k * step <= high_ + 1e-9 * step && k < 20; ++k) {
    const double tick = first + k * step;
    ticks_.push_back(std::abs(tick) < 1e-9 * step ? 0 : tick);
  }
}

void ChartAxis::set_logarithmic(double low, double high) {
  logarithmic_ = true;
  low_ = std::floor(std::log10(low) + 1e-9);
  high_ = std::ceil(std::log10(high) - 1e-9);
  const double step = std::max(1.0, std::ceil((high_ - low_) / 6));
  for (double k = low_; k <= high_; k += step) ticks_.push_back(std::pow(10, k));
}

double ChartAxis::place(double value) const {
  return ((logarithmic_ ? std::log10(value) : value) - low_) / (high_ - low_);
}

std::string tick_words(double value) {
  constexpr std::array<const char*, 5> kPrefixes = {"", "k", "M", "G", "T"};
  constexpr double kScaled = 1e5, kUnscaled = 1e18;
  std::size_t prefix = 0;
  if (std::abs(value) >= kScaled && std::abs(value) < kUnscaled)
    while (std::abs(value) >= 1000 && prefix + 1 < kPrefixes.size()) {
      value /= 1000;
      ++prefix;
    }
  return fmt::format("{:.6g}{}", value, kPrefixes[prefix]);
}

}  // namespace softfeb::report
