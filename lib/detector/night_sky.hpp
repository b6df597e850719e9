// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rng.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace softfeb::detector {

/// Draws the number of night-sky photoelectrons in one pixel and one nanosecond. This number has a Poisson
/// distribution. The table of the distribution contains integers, so that every machine draws the same
/// numbers.
class NightSky {
 public:
  static constexpr std::uint64_t kHighestRate = 8'000'000'000;  ///< photoelectrons per second in one pixel

  /// Throws std::invalid_argument if the rate exceeds kHighestRate.
  explicit NightSky(std::uint64_t rate_hz);

  /// Draws a number from 32 uniformly distributed bits.
  unsigned draw(std::uint32_t bits) const {
    unsigned n = 0;
    while (n + 1 < kMost && bits >= below_[n]) ++n;
    return n;
  }

 private:
  static constexpr std::size_t kMost = 32;
  /// Element n is the probability of at most n photoelectrons, in units of 2^-32.
  std::array<std::uint64_t, kMost> below_{};
};

/// Returns electronic noise with mean 0 and σ = √130/2 = 5.70: the number of heads in 130 fair coin tosses,
/// minus 65.
int draw_noise(Rng& rng);

}  // namespace softfeb::detector
