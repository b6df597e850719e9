// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Who gets how much of what is shared. Integers alone, so that every compiler gives the same figures.
namespace softfeb::lab {

/// A share, in parts of kWhole.
using Share = std::uint64_t;
inline constexpr Share kWhole = 1'000'000'000;

constexpr double to_double(Share share) { return static_cast<double>(share) / static_cast<double>(kWhole); }

/// `part` of `whole`; 0 of 0 is 0.
Share share_of(std::uint64_t part, std::uint64_t whole);

/// Jain's index (Σx)² / (n·Σx²): 1 where all have the same, 1/n where one has everything. Nothing for fewer
/// than two, 0 where nobody has anything. The sum of `x` is below 2^48.
std::optional<Share> jain_index(std::span<const std::uint64_t> x);

/// Max-min fair shares of `capacity` among those who ask for `demands`: nobody gets more than asked for, and
/// those who ask for more all get the same.
std::vector<std::uint64_t> fair_shares(std::uint64_t capacity, std::span<const std::uint64_t> demands);

}  // namespace softfeb::lab
