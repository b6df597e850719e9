// SPDX-License-Identifier: BSD-3-Clause
#include "lab/fairness.hpp"

#include "base/uint128.hpp"

#include <algorithm>
#include <numeric>

namespace softfeb::lab {

Share share_of(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return 0;
  return static_cast<Share>(Uint128{part} * kWhole / whole);
}

std::optional<Share> jain_index(std::span<const std::uint64_t> x) {
  if (x.size() < 2) return std::nullopt;
  Uint128 sum = 0;
  Uint128 squares = 0;
  for (const std::uint64_t v : x) {
    sum += v;
    squares += Uint128{v} * v;
  }
  if (squares == 0) return 0;
  // sum < 2^48 and kWhole < 2^30, so the numerator needs at most 2 · 48 + 30 bits and fits in 128 bits.
  return static_cast<Share>(sum * sum * kWhole / (squares * x.size()));
}

std::vector<std::uint64_t> fair_shares(std::uint64_t capacity, std::span<const std::uint64_t> demands) {
  std::vector<std::size_t> order(demands.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return demands[a] < demands[b]; });
  std::vector<std::uint64_t> shares(demands.size(), 0);
  std::size_t left = demands.size();
  for (const std::size_t i : order) {
    shares[i] = std::min(demands[i], capacity / left);
    capacity -= shares[i];
    --left;
  }
  return shares;
}

}  // namespace softfeb::lab
