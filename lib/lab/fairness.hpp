// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Measures of how fairly a resource is shared. The functions use only integer arithmetic, so that all
/// compilers give the same results.
namespace softfeb::lab {

/// A ratio or a fraction of a whole, in units of 1 / kWhole.
using Share = std::uint64_t;
inline constexpr Share kWhole = 1'000'000'000;

constexpr double to_double(Share share) { return static_cast<double>(share) / static_cast<double>(kWhole); }

/// `part` divided by `whole`; 0 if `whole` is 0.
Share share_of(std::uint64_t part, std::uint64_t whole);

/// Jain's index (Σx)² / (n·Σx²): 1 if all values are equal, 1/n if only one of the n values is not 0, and 0
/// if all values are 0. Empty for fewer than two values. The sum of `x` must be below 2^48.
std::optional<Share> jain_index(std::span<const std::uint64_t> x);

/// Returns the max-min fair shares of `capacity` for the given `demands`. No share exceeds its demand, and
/// all unsatisfied demands get the same share, up to rounding.
std::vector<std::uint64_t> fair_shares(std::uint64_t capacity, std::span<const std::uint64_t> demands);

}  // namespace softfeb::lab
