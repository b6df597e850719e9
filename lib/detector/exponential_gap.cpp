// SPDX-License-Identifier: BSD-3-Clause
#include "detector/exponential_gap.hpp"

#include "base/uint128.hpp"

#include <algorithm>
#include <bit>

namespace softfeb::detector {

namespace {

constexpr unsigned kFraction = 32;
constexpr std::uint64_t kLn2 = 2'977'044'472;  // ln 2 · 2^32, rounded to nearest

}  // namespace

std::uint64_t minus_log2(std::uint64_t bits) {
  const auto shift = static_cast<unsigned>(std::countl_zero(bits));
  std::uint64_t logarithm = 63 - shift;
  // The mantissa is in [1, 2) and has 63 fractional bits. Squaring the mantissa doubles its logarithm. The
  // integer part of the doubled logarithm is the next bit of the result.
  std::uint64_t mantissa = bits << shift;
  for (unsigned i = 0; i < kFraction; ++i) {
    const Uint128 square = static_cast<Uint128>(mantissa) * mantissa;
    const auto bit = static_cast<unsigned>(square >> 127);
    mantissa = static_cast<std::uint64_t>(square >> (63 + bit));
    logarithm = logarithm << 1 | bit;
  }
  return (std::uint64_t{64} << kFraction) - logarithm;
}

std::uint64_t minus_ln(std::uint64_t bits) {
  return static_cast<std::uint64_t>(Uint128{minus_log2(bits == 0 ? 1 : bits)} * kLn2 >> kFraction);
}

Time exponential_gap(std::uint64_t bits, Time mean) {
  return std::max<Time>(1, static_cast<Time>(Uint128{mean} * minus_ln(bits) >> kFraction));
}

}  // namespace softfeb::detector
