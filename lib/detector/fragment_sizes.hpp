// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace softfeb::detector {

/// Sizes of the counter payload, which vary from event to event and from board to board.
struct FragmentSizes {
  enum class Shape : std::uint8_t {
    kFixed,        ///< min
    kUniform,      ///< min…max
    kExponential,  ///< min and more, with a mean of min + (max − min)/4; at most max
  };

  std::uint32_t min = 0;  ///< bytes
  std::uint32_t max = 0;  ///< bytes, at least min; for kFixed equal to min
  Shape shape = Shape::kFixed;
  std::uint64_t seed = 1;

  /// The size that (seed, event, board) determine. Integers only, so that receivers predict it.
  std::uint32_t at(std::uint64_t event, std::uint32_t board) const;
};

}  // namespace softfeb::detector
