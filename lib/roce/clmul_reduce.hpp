// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/cpu.hpp"
#include "roce/polynomial.hpp"

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
/// Attribute of functions that use carry-less multiplication. Call such a function only if clmul::callable()
/// is true.
#define SOFTFEB_PCLMUL __attribute__((target("pclmul,sse4.1")))
#else
#define SOFTFEB_PCLMUL
#endif

/// Sums of carry-less products, and their reduction modulo the CRC-32 polynomial P (doc/icrc.md). On x86-64,
/// these functions use PCLMULQDQ. On other architectures, they compute the same results bit by bit, and only
/// tests call them: cpu::kPclmul is false there, so all other code uses tables, which are faster.
namespace softfeb::roce::clmul {

/// True if functions with the attribute SOFTFEB_PCLMUL may be called.
inline bool callable() {
#if defined(__x86_64__)
  return cpu::kPclmul;
#else
  return true;
#endif
}

#if defined(__x86_64__)

using Sum = __m128i;

/// Constants of the Barrett reduction: kMu is the polynomial quotient ⌊x^64 / P⌋, and kPolyFull is P with
/// all its coefficients. Both have 33 bits and are bit-reflected.
inline constexpr long long kMu = 0x1'f701'1641LL;
inline constexpr long long kPolyFull = 0x1'db71'0641LL;

SOFTFEB_PCLMUL inline Sum zero() { return _mm_setzero_si128(); }
SOFTFEB_PCLMUL inline Sum add(Sum a, Sum b) { return _mm_xor_si128(a, b); }

/// Returns a term for reduce95(): eight bytes of a message in memory order (`word`), multiplied by the power
/// of x that shifts them to their position (`factor`).
SOFTFEB_PCLMUL inline Sum product(std::uint64_t word, std::uint32_t factor) {
  return _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<long long>(word)),
                              _mm_cvtsi32_si128(static_cast<int>(factor)), 0);
}

/// Reduces a 63-bit product of two reflected 32-bit polynomials. Bit t of the product is the coefficient of
/// x^(62−t). Uses Barrett reduction.
SOFTFEB_PCLMUL inline std::uint32_t reduce63(Sum sum) {
  // The reduction expects a reflected 64-bit number, in which the bits of the product are one position
  // higher.
  const __m128i p = _mm_slli_epi64(sum, 1);
  const __m128i low_half = _mm_set_epi64x(0, 0xffff'ffffLL);
  const __m128i q = _mm_clmulepi64_si128(_mm_and_si128(p, low_half), _mm_set_epi64x(0, kMu), 0);
  const __m128i r = _mm_clmulepi64_si128(_mm_and_si128(q, low_half), _mm_set_epi64x(0, kPolyFull), 0);
  return static_cast<std::uint32_t>(_mm_extract_epi32(_mm_xor_si128(p, r), 1));
}

/// Reduces a 95-bit sum of products of reflected 64-bit and 32-bit polynomials. Bit t of the sum is the
/// coefficient of x^(94−t). First folds the coefficients above x^62, then calls reduce63().
SOFTFEB_PCLMUL inline std::uint32_t reduce95(Sum sum) {
  constexpr long long kDown = polynomial::power_of_x(63);
  const __m128i above = _mm_and_si128(sum, _mm_set_epi64x(0, 0xffff'ffffLL));
  return reduce63(
      _mm_xor_si128(_mm_srli_si128(sum, 4), _mm_clmulepi64_si128(above, _mm_set_epi64x(0, kDown), 0)));
}

#else

struct Sum {
  std::uint64_t low = 0, high = 0;
};

inline Sum zero() { return {}; }
inline Sum add(Sum a, Sum b) { return {a.low ^ b.low, a.high ^ b.high}; }

inline Sum product(std::uint64_t word, std::uint32_t factor) {
  Sum sum;
  for (unsigned i = 0; i < 32; ++i) {
    if ((factor >> i & 1) == 0) continue;
    sum.low ^= word << i;
    if (i != 0) sum.high ^= word >> (64 - i);
  }
  return sum;
}

inline std::uint32_t reduce63(Sum sum) {
  // The lowest 31 bits are the coefficients above x^31.
  const auto above = static_cast<std::uint32_t>(sum.low & 0x7fff'ffffU);
  return static_cast<std::uint32_t>(sum.low >> 31) ^ polynomial::multiply(above, polynomial::power_of_x(31));
}

inline std::uint32_t reduce95(Sum sum) {
  const Sum below{sum.low >> 32 | sum.high << 32, sum.high >> 32};
  return reduce63(add(below, product(sum.low & 0xffff'ffffU, polynomial::power_of_x(63))));
}

#endif

}  // namespace softfeb::roce::clmul
