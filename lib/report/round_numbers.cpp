// SPDX-License-Identifier: BSD-3-Clause
#include "report/round_numbers.hpp"

#include <algorithm>
#include <cmath>

namespace softfeb::report {

namespace {

/// Returns the smallest multiple of `step` in `range`, except 0.
std::optional<std::uint64_t> multiple_of(std::uint64_t step, const WholeRange& range) {
  const std::uint64_t steps = range.high / step;
  if (steps == 0) return std::nullopt;
  const std::uint64_t least = (range.low + step - 1) / step * step;
  if (least < range.low || least > range.high) return std::nullopt;
  return least;
}

std::optional<std::uint64_t> multiple_of_power(unsigned least, const WholeRange& range) {
  constexpr unsigned kMost = 62;
  for (unsigned power = kMost + 1; power-- > least;)
    if (const auto found = multiple_of(std::uint64_t{1} << power, range)) return found;
  return std::nullopt;
}

}  // namespace

WholeRange WholeRange::meet(const WholeRange& other) const {
  return {std::max(low, other.low), std::min(high, other.high)};
}

WholeRange whole_range(double low, double high) {
  constexpr double kError = 1e-9, kMost = 0x1p62;
  low = std::clamp(low, 0.0, kMost);
  high = std::clamp(high, 0.0, kMost);
  const WholeRange out{static_cast<std::uint64_t>(std::ceil(low - kError * std::max(1.0, low))),
                       static_cast<std::uint64_t>(std::floor(high + kError * std::max(1.0, high)))};
  if (!out.empty()) return out;
  const auto middle = static_cast<std::uint64_t>(low + (high - low) / 2 + 0.5);
  return {middle, middle};
}

std::uint64_t roundest_decimal(const WholeRange& range) {
  constexpr std::uint64_t kGreatest = 1'000'000'000'000'000'000;
  if (range.low == 0) return 0;
  for (std::uint64_t step = kGreatest; step > 1; step /= 10)
    for (const std::uint64_t part : {step, step / 2, step / 5})
      if (const auto found = multiple_of(part, range)) return *found;
  return range.low;
}

std::uint64_t roundest_size(const WholeRange& range) {
  constexpr unsigned kKibi = 10;
  if (range.low == 0) return 0;
  return multiple_of_power(kKibi, range).value_or(roundest_decimal(range));
}

std::uint64_t roundest_binary(const WholeRange& range) {
  if (range.low == 0) return 0;
  return multiple_of_power(0, range).value_or(range.low);
}

}  // namespace softfeb::report
