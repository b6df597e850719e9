// SPDX-License-Identifier: BSD-3-Clause
#include "roce/copy_compare.hpp"

#include "roce/cpu.hpp"

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace softfeb::roce {

namespace {

constexpr std::size_t kVector = 64;

#if defined(__x86_64__)

constexpr std::size_t kStride = 2 * kVector;

/// Like copy_and_compare(), but `n` must be a multiple of kStride. If `kAroundCache` is true, `to` must be
/// aligned to kVector; see stream_and_compare().
template <bool kAroundCache>
__attribute__((target("avx512f"))) bool stride_by_stride(std::uint8_t* to, const std::uint8_t* got,
                                                         const std::uint8_t* want, std::size_t n) {
  constexpr int kOrXor = 0xf6;  // truth table of a | (b ^ c)
  __m512i differ = _mm512_setzero_si512();
  for (std::size_t i = 0; i < n; i += kStride) {
    const __m512i a = _mm512_loadu_si512(got + i);
    const __m512i b = _mm512_loadu_si512(got + i + kVector);
    differ = _mm512_ternarylogic_epi64(differ, a, _mm512_loadu_si512(want + i), kOrXor);
    differ = _mm512_ternarylogic_epi64(differ, b, _mm512_loadu_si512(want + i + kVector), kOrXor);
    if constexpr (kAroundCache) {
      _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), a);
      _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i + kVector), b);
    } else {
      _mm512_storeu_si512(to + i, a);
      _mm512_storeu_si512(to + i + kVector, b);
    }
  }
  const bool same = _mm512_test_epi64_mask(differ, differ) == 0;
  // Clear the upper halves of the vector registers; clear_upper_halves() in roce/icrc.cpp explains why.
  _mm256_zeroupper();
  return same;
}

/// `n` must be a multiple of kStride.
__attribute__((target("avx512f"))) void copy_strides(std::uint8_t* to, const std::uint8_t* from,
                                                     std::size_t n) {
  for (std::size_t i = 0; i < n; i += kStride) {
    const __m512i a = _mm512_loadu_si512(from + i);
    const __m512i b = _mm512_loadu_si512(from + i + kVector);
    _mm512_storeu_si512(to + i, a);
    _mm512_storeu_si512(to + i + kVector, b);
  }
  _mm256_zeroupper();
}

#endif

}  // namespace

void copy_payload(std::uint8_t* to, ByteSpan from) {
  std::size_t done = 0;
#if defined(__x86_64__)
  if (cpu::kAvx512) {
    done = from.size() - from.size() % kStride;
    copy_strides(to, from.data(), done);
  }
#endif
  if (done != from.size()) std::memcpy(to + done, from.data() + done, from.size() - done);
}

namespace {

template <bool kAroundCache>
bool copy_compared(std::uint8_t* to, const std::uint8_t* got, const std::uint8_t* want, std::size_t n) {
  std::size_t done = 0;
  bool same = true;
#if defined(__x86_64__)
  if (cpu::kAvx512) {
    done = n - n % kStride;
    same = stride_by_stride<kAroundCache>(to, got, want, done);
  }
#endif
  if (done == n) return same;
  std::memcpy(to + done, got + done, n - done);
  return std::memcmp(got + done, want + done, n - done) == 0 && same;
}

}  // namespace

bool copy_and_compare(std::uint8_t* to, const std::uint8_t* got, const std::uint8_t* want, std::size_t n) {
  if (n == 0) return true;
  if (to == nullptr) return std::memcmp(got, want, n) == 0;
  return copy_compared<false>(to, got, want, n);
}

bool stream_and_compare(std::uint8_t* to, const std::uint8_t* got, const std::uint8_t* want, std::size_t n) {
  if (to == nullptr || reinterpret_cast<std::uintptr_t>(to) % kVector != 0)
    return copy_and_compare(to, got, want, n);
  return copy_compared<true>(to, got, want, n);
}

}  // namespace softfeb::roce
