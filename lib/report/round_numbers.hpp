// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

/// Chooses round numbers within intervals, for settings of which only bounds were measured.
namespace softfeb::report {

/// A range of integers; both bounds belong to the range.
struct WholeRange {
  std::uint64_t low = 0, high = 0;

  bool empty() const { return low > high; }
  /// Returns the intersection of both ranges.
  WholeRange meet(const WholeRange& other) const;
  bool contains(std::uint64_t n) const { return low <= n && n <= high; }
};

/// Returns the integers from `low` to `high`. If there are none, the range contains only the integer nearest
/// to the middle. Negative bounds count as 0. Bounds that differ from an integer by at most a billionth, as
/// sums of decimal fractions do, are replaced by this integer.
WholeRange whole_range(double low, double high);

/// Returns the roundest decimal number in `range`: a multiple of the greatest possible step, where a step is
/// 1, 2 or 5 times a power of ten. Requires a range that is not empty.
std::uint64_t roundest_decimal(const WholeRange& range);
/// Returns the number in `range` that is a multiple of the greatest possible power of two. If this power is
/// less than 1024, returns roundest_decimal() instead. Requires a range that is not empty.
std::uint64_t roundest_size(const WholeRange& range);
/// Returns the number in `range` that is a multiple of the greatest possible power of two. Requires a range
/// that is not empty.
std::uint64_t roundest_binary(const WholeRange& range);

}  // namespace softfeb::report
