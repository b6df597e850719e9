// SPDX-License-Identifier: BSD-3-Clause
#include "detector/fragment_sizes.hpp"

#include "base/rng.hpp"
#include "base/uint128.hpp"
#include "detector/exponential_gap.hpp"

#include <algorithm>

namespace softfeb::detector {

std::uint64_t mixed_seed(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
  return Rng(Rng(Rng(seed).next() + a).next() + b).next();
}

std::uint32_t FragmentSizes::at(std::uint64_t event, std::uint32_t board) const {
  if (shape == Shape::kFixed) return min;
  const std::uint64_t bits = mixed_seed(seed, event, board);
  const std::uint64_t range = max - min;
  const std::uint64_t more = shape == Shape::kUniform
                                 ? static_cast<std::uint64_t>(Uint128{bits} * (range + 1) >> 64)
                                 : static_cast<std::uint64_t>(Uint128{range} * minus_ln(bits) >> 34);
  return static_cast<std::uint32_t>(min + std::min(more, range));
}

}  // namespace softfeb::detector
