// SPDX-License-Identifier: BSD-3-Clause
#include "detector/fragment_sizes.hpp"

#include "base/rng.hpp"
#include "base/uint128.hpp"
#include "detector/exponential_gap.hpp"

#include <algorithm>

namespace softfeb::detector {

std::uint32_t FragmentSizes::at(std::uint64_t event, std::uint32_t board) const {
  if (shape == Shape::kFixed) return min;
  const std::uint64_t bits = Rng::mixed(seed, event, board);
  const std::uint64_t range = max - min;
  const std::uint64_t more = shape == Shape::kUniform
                                 ? static_cast<std::uint64_t>(Uint128{bits} * (range + 1) >> 64)
                                 : static_cast<std::uint64_t>(Uint128{range} * minus_ln(bits) >> 34);
  return static_cast<std::uint32_t>(min + std::min(more, range));
}

}  // namespace softfeb::detector
