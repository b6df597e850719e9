// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rng.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace softfeb::detector {

/// Number of night-sky photoelectrons of a pixel in each nanosecond: a Poisson distribution, tabulated in
/// integers, so that every machine draws the same numbers.
class NightSky {
 public:
  static constexpr std::uint64_t kHighestRate = 8'000'000'000;  ///< hertz

  /// Throws std::invalid_argument if the rate exceeds kHighestRate.
  explicit NightSky(std::uint64_t rate_hz);

  /// Draws a number for 32 uniform bits.
  unsigned draw(std::uint32_t bits) const {
    unsigned n = 0;
    while (n + 1 < kMost && bits >= below_[n]) ++n;
    return n;
  }

 private:
  static constexpr std::size_t kMost = 32;
  std::array<std::uint64_t, kMost> below_{};  ///< probability of at most n, in units of 2^-32
};

/// Electronic noise with σ = 5.70 and mean 0: 130 fair coins, whose sum has a standard deviation of √130/2.
int draw_noise(Rng& rng);

}  // namespace softfeb::detector
