// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

/// Round numbers inside intervals, for settings of which only bounds were measured.
namespace softfeb::report {

/// Whole numbers from `low` to `high`.
struct WholeRange {
  std::uint64_t low = 0, high = 0;

  bool empty() const { return low > high; }
  /// The numbers that are in both ranges.
  WholeRange meet(const WholeRange& other) const;
  bool contains(std::uint64_t n) const { return low <= n && n <= high; }
};

/// The whole numbers from `low` to `high`; the one nearest to their middle if there are none. Negative bounds
/// count as 0. Bounds that miss a whole number by no more than a billionth, as sums of decimal fractions do,
/// are that number.
WholeRange whole_range(double low, double high);

/// The number with the fewest digits, which is the multiple of the greatest step 1, 2 or 5 times a power of
/// ten. Requires a range that is not empty.
std::uint64_t roundest_decimal(const WholeRange& range);
/// The multiple of the greatest power of two from 1024 on or, if there is none, roundest_decimal(). Requires
/// a range that is not empty.
std::uint64_t roundest_size(const WholeRange& range);
/// The multiple of the greatest power of two. Requires a range that is not empty.
std::uint64_t roundest_binary(const WholeRange& range);

}  // namespace softfeb::report
