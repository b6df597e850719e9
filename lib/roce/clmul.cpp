// SPDX-License-Identifier: BSD-3-Clause
#include "roce/clmul.hpp"

#include <array>

#include <immintrin.h>

namespace softfeb::roce::clmul {

namespace {

constexpr std::uint32_t kPoly = 0xedb88320U;  // P without x^32, reflected

constexpr std::uint32_t times_x(std::uint32_t a) { return (a >> 1) ^ ((a & 1) != 0 ? kPoly : 0); }

constexpr std::uint32_t multiply_bitwise(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product = 0;
  for (std::uint32_t bit = 0x8000'0000U; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = times_x(b);
  }
  return product;
}

/// x^(2^i) for i = 0…63; the order of x divides 2^32 − 1, so exponents are reduced before use.
constexpr std::array<std::uint32_t, 64> make_powers() {
  std::array<std::uint32_t, 64> t{};
  t[0] = 0x4000'0000U;  // x
  for (std::size_t i = 1; i < t.size(); ++i) t[i] = multiply_bitwise(t[i - 1], t[i - 1]);
  return t;
}
constexpr auto kPowers = make_powers();

/// Barrett constant: floor(x^64 / P), 33 bits, reflected; and P itself, 33 bits, reflected.
constexpr std::uint64_t kMu = 0x1'f701'1641ULL;
constexpr std::uint64_t kPolyFull = 0x1'db71'0641ULL;

__attribute__((target("pclmul,sse4.1"))) std::uint32_t multiply_pclmul(std::uint32_t a, std::uint32_t b) {
  const __m128i product =
      _mm_clmulepi64_si128(_mm_cvtsi32_si128(static_cast<int>(a)), _mm_cvtsi32_si128(static_cast<int>(b)), 0);
  // Reflected operands make a product of 63 bits whose reflection lacks one place: shift it in, then reduce
  // (Barrett).
  const std::uint64_t p = static_cast<std::uint64_t>(_mm_cvtsi128_si64(product)) << 1;
  const __m128i low = _mm_cvtsi64_si128(static_cast<long long>(p & 0xffff'ffffU));
  const __m128i q = _mm_clmulepi64_si128(low, _mm_cvtsi64_si128(static_cast<long long>(kMu)), 0);
  const __m128i q32 = _mm_cvtsi64_si128(_mm_cvtsi128_si64(q) & 0xffff'ffffLL);
  const __m128i r = _mm_clmulepi64_si128(q32, _mm_cvtsi64_si128(static_cast<long long>(kPolyFull)), 0);
  return static_cast<std::uint32_t>((p ^ static_cast<std::uint64_t>(_mm_cvtsi128_si64(r))) >> 32);
}

const bool kHavePclmul = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");

}  // namespace

bool have_pclmul() { return kHavePclmul; }

std::uint32_t multiply_portable(std::uint32_t a, std::uint32_t b) { return multiply_bitwise(a, b); }

std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
  return kHavePclmul ? multiply_pclmul(a, b) : multiply_bitwise(a, b);
}

std::uint32_t power_of_x(std::uint64_t n) {
  std::uint32_t result = 0x8000'0000U;  // 1
  for (std::size_t i = 0; n != 0; ++i, n >>= 1) {
    if ((n & 1) != 0) result = multiply(result, kPowers[i]);
  }
  return result;
}

}  // namespace softfeb::roce::clmul
