// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/polynomial.hpp"

#include <cstdint>

#include <immintrin.h>

/// Reduction of sums of carry-less products modulo the CRC-32 polynomial P (doc/icrc.md). The functions are
/// compiled for PCLMULQDQ; call them only if cpu::kPclmul is true.
namespace softfeb::roce::clmul {

/// ⌊x^64 / P⌋ and P itself. Both have 33 bits and are bit-reflected.
inline constexpr long long kMu = 0x1'f701'1641LL;
inline constexpr long long kPolyFull = 0x1'db71'0641LL;

/// Reduces a 63-bit product of two reflected 32-bit polynomials. Bit t of the product is the coefficient of
/// x^(62−t). Uses Barrett reduction.
__attribute__((target("pclmul,sse4.1"))) inline std::uint32_t reduce63(__m128i product) {
  // The reduction expects a reflected 64-bit number, in which the bits of the product are one position
  // higher.
  const __m128i p = _mm_slli_epi64(product, 1);
  const __m128i low_half = _mm_set_epi64x(0, 0xffff'ffffLL);
  const __m128i q = _mm_clmulepi64_si128(_mm_and_si128(p, low_half), _mm_set_epi64x(0, kMu), 0);
  const __m128i r = _mm_clmulepi64_si128(_mm_and_si128(q, low_half), _mm_set_epi64x(0, kPolyFull), 0);
  return static_cast<std::uint32_t>(_mm_extract_epi32(_mm_xor_si128(p, r), 1));
}

/// Reduces a 95-bit sum of products of reflected 64-bit and 32-bit polynomials. Bit t of the sum is the
/// coefficient of x^(94−t). First folds the coefficients above x^62, then calls reduce63().
__attribute__((target("pclmul,sse4.1"))) inline std::uint32_t reduce95(__m128i sum) {
  constexpr long long kDown = polynomial::power_of_x(63);
  const __m128i above = _mm_and_si128(sum, _mm_set_epi64x(0, 0xffff'ffffLL));
  return reduce63(
      _mm_xor_si128(_mm_srli_si128(sum, 4), _mm_clmulepi64_si128(above, _mm_set_epi64x(0, kDown), 0)));
}

/// Returns a term for reduce95(): eight bytes of a message in memory order (`word`), multiplied by the power
/// of x that shifts them to their position (`factor`).
__attribute__((target("pclmul,sse4.1"))) inline __m128i product(std::uint64_t word, std::uint32_t factor) {
  return _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<long long>(word)),
                              _mm_cvtsi32_si128(static_cast<int>(factor)), 0);
}

}  // namespace softfeb::roce::clmul
