// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// Compile-time arithmetic modulo the Ethernet CRC-32 polynomial P, bit-reflected as in CRC registers: bit 31
/// is the coefficient of x^0.
namespace softfeb::roce::polynomial {

inline constexpr std::uint32_t kPoly = 0xedb88320U;  ///< P without x^32
inline constexpr std::uint32_t kOne = 0x8000'0000U;

constexpr std::uint32_t times_x(std::uint32_t a) { return (a >> 1) ^ ((a & 1) != 0 ? kPoly : 0); }

/// Computes a·b mod P bit by bit.
constexpr std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product = 0;
  for (std::uint32_t bit = kOne; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = times_x(b);
  }
  return product;
}

/// x^(2^i) for i = 0…63
constexpr std::array<std::uint32_t, 64> make_squares() {
  std::array<std::uint32_t, 64> t{};
  t[0] = kOne >> 1;
  for (std::size_t i = 1; i < t.size(); ++i) t[i] = multiply(t[i - 1], t[i - 1]);
  return t;
}
inline constexpr auto kSquares = make_squares();

/// Returns x^n mod P.
constexpr std::uint32_t power_of_x(std::uint64_t n) {
  std::uint32_t result = kOne;
  for (std::size_t i = 0; n != 0; ++i, n >>= 1) {
    if ((n & 1) != 0) result = multiply(result, kSquares[i]);
  }
  return result;
}

}  // namespace softfeb::roce::polynomial
