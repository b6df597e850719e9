// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>

namespace softfeb {

/// Maps 64 uniform random bits to an exponentially distributed value with mean 1, at most 36.8.
///
/// The logarithm is computed here because results of std::log differ between libraries. This function uses
/// only operations that IEEE 754 rounds correctly, so that a seed gives the same traffic everywhere. Its
/// relative error is below 10^-15.
inline double exponential(std::uint64_t bits) {
  constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  constexpr double kSqrtHalf = 0x1.6a09e667f3bcdp-1;
  // The uniform value is k / 2^53, where k is an odd number of 53 bits. It is therefore neither 0 nor 1.
  int exponent = 0;
  double m = std::frexp(static_cast<double>((bits >> 12) * 2 + 1), &exponent);
  if (m < kSqrtHalf) {
    m *= 2;
    --exponent;
  }
  // ln m = 2 artanh s
  const double s = (m - 1) / (m + 1), square = s * s;
  double sum = 0;
  for (int k = 21; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
  return (53 - exponent) * kLn2 - 2 * s * sum;
}

}  // namespace softfeb
