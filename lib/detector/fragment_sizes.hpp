// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace softfeb::detector {

/// Sizes of the counter payload, which may vary from event to event and from board to board.
struct FragmentSizes {
  enum class Shape : std::uint8_t {
    kFixed,    ///< the size is always `min`
    kUniform,  ///< uniform in [min, max]
    /// `min` plus an exponentially distributed part, at most `max`; the mean is about min + (max − min)/4.
    kExponential,
  };

  std::uint32_t min = 0;  ///< smallest size in bytes
  std::uint32_t max = 0;  ///< largest size in bytes, at least min; equal to min for kFixed
  Shape shape = Shape::kFixed;
  std::uint64_t seed = 1;

  /// Returns the size, which depends only on seed, event and board. The size is computed with integers, so
  /// that receivers can predict it.
  std::uint32_t at(std::uint64_t event, std::uint32_t board) const;
};

}  // namespace softfeb::detector
