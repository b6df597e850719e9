// SPDX-License-Identifier: BSD-3-Clause
#include "detector/night_sky.hpp"

#include "base/uint128.hpp"

#include <bit>
#include <stdexcept>

namespace softfeb::detector {

namespace {

constexpr unsigned kPoint = 60;  // number of fractional bits of the fixed-point numbers

constexpr std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(Uint128{a} * b >> kPoint);
}

/// e^-x for x up to 8, computed as the eighth power of e^(-x/8), for which a Taylor series is used.
std::uint64_t exp_minus(std::uint64_t x) {
  constexpr std::uint64_t kOne = std::uint64_t{1} << kPoint;
  std::uint64_t term = kOne, sum = kOne;
  for (std::uint64_t k = 1; term != 0; ++k) {
    term = times(term, x / 8) / k;
    sum += k % 2 == 0 ? term : -term;
  }
  for (int i = 0; i < 3; ++i) sum = times(sum, sum);
  return sum;
}

}  // namespace

NightSky::NightSky(std::uint64_t rate_hz) {
  if (rate_hz > kHighestRate) throw std::invalid_argument("the night sky's rate must be at most 8 GHz");
  // mean number of photoelectrons per nanosecond
  const auto mean = static_cast<std::uint64_t>((Uint128{rate_hz} << kPoint) / 1'000'000'000U);
  std::uint64_t probability = exp_minus(mean), sum = 0;
  for (std::size_t n = 0; n < kMost; ++n) {
    sum += probability;
    below_[n] = sum >> (kPoint - 32);
    probability = static_cast<std::uint64_t>((Uint128{probability} * mean >> kPoint) / (n + 1));
  }
}

int draw_noise(Rng& rng) {
  const std::uint64_t low = rng.next(), high = rng.next(), rest = rng.next() & 3;
  return std::popcount(low) + std::popcount(high) + std::popcount(rest) - 65;
}

}  // namespace softfeb::detector
