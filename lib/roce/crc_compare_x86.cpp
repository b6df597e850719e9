// SPDX-License-Identifier: BSD-3-Clause
#if defined(__x86_64__)

#include "roce/crc_compare_x86.hpp"

#include "roce/clmul_reduce.hpp"
#include "roce/icrc.hpp"
#include "roce/polynomial.hpp"
#include "roce/shift_table.hpp"

#include <array>
#include <cstring>

#include <immintrin.h>

#define SOFTFEB_AVX2 __attribute__((target("avx2,vpclmulqdq,pclmul")))
#define SOFTFEB_AVX512 __attribute__((target("avx512f,vpclmulqdq,pclmul")))

/// The kernels fold the payload, which is a polynomial over GF(2): they multiply a vector by a power of x
/// modulo P and add the product to a later vector, which then represents both (doc/icrc.md). A kernel keeps
/// four such sums at a time, because the result of a multiplication is ready only several cycles after the
/// next multiplication may begin.
namespace softfeb::roce {

namespace {

constexpr std::size_t kSums = 4;

/// Returns the factor x^bits mod P as a reflected number. The number is shifted left by one bit, because the
/// carry-less product of two reflected 64-bit numbers is one bit too low.
constexpr long long fold_factor(std::uint64_t bits) {
  return static_cast<long long>(std::uint64_t{polynomial::power_of_x(bits)} << 1);
}

/// Factors that move 16 bytes by `kBytes` bytes towards the end of the payload: kFirst for the first eight
/// bytes, and kSecond for the other eight, which are eight bytes nearer to the end. The exponent of kSecond
/// may be negative; 2^32 − 1 is added to it, because x^(2^32 − 1) is 1.
template <std::size_t kBytes>
struct Move {
  static constexpr long long kFirst = fold_factor(8 * kBytes + 32);
  static constexpr long long kSecond = fold_factor(8 * kBytes + 0xffff'ffffU - 32);
};

template <std::size_t kBytes>
SOFTFEB_PCLMUL inline __m128i move_by() {
  return _mm_set_epi64x(Move<kBytes>::kSecond, Move<kBytes>::kFirst);
}

/// The payload that a kernel processes. `to` and `before` either are null or have room for as many bytes as
/// `got`.
struct Pass {
  ByteSpan got;  ///< not empty
  const std::uint8_t* want;
  std::uint8_t* to;
  std::uint8_t* before;  ///< receives the bytes at `to` before they are overwritten
};

/// The first 1 to kStride bytes of the payload, chosen so that a whole number of strides follows. If these
/// bytes are fewer than kStride, this object contains a copy with leading zeros, which do not change the sum.
template <std::size_t kStride>
class FirstStride {
 public:
  explicit FirstStride(const Pass& p) : size_((p.got.size() - 1) % kStride + 1) {
    if (!extended()) return;
    extend(p.got.data(), got_.data());
    extend(p.want, want_.data());
    if (p.to == nullptr) return;
    std::memcpy(p.before, p.to, size_);
    std::memcpy(p.to, p.got.data(), size_);
  }
  std::size_t size() const { return size_; }
  bool extended() const { return size_ != kStride; }
  const std::uint8_t* got() const { return got_.data(); }
  const std::uint8_t* want() const { return want_.data(); }

 private:
  void extend(const std::uint8_t* from, std::uint8_t* room) const {
    std::memset(room, 0, kStride);
    std::memcpy(room + kStride - size_, from, size_);
  }

  std::size_t size_;
  std::array<std::uint8_t, kStride> got_;
  std::array<std::uint8_t, kStride> want_;
};

/// Returns x^(8·bytes) mod P, the factor that shifts a CRC past `bytes` bytes.
std::uint32_t shift_past(std::size_t bytes) {
  return bytes % 4 == 0 && bytes <= kMaxPayload ? kShiftTable[bytes / 4] : crc32_shift_factor(bytes);
}

/// Returns the CRC of a payload of `size` bytes, where `sum` is the sum of all vectors, moved to the position
/// of the last 16 bytes.
SOFTFEB_PCLMUL inline std::uint32_t crc_of_sum(__m128i sum, std::uint32_t seed, std::size_t size) {
  const __m128i by = _mm_set_epi64x(polynomial::power_of_x(32), polynomial::power_of_x(96));
  const __m128i payload =
      _mm_xor_si128(_mm_clmulepi64_si128(sum, by, 0x00), _mm_clmulepi64_si128(sum, by, 0x11));
  const __m128i before = clmul::product(std::uint64_t{~seed} << 32, shift_past(size));
  return ~clmul::reduce95(_mm_xor_si128(payload, before));
}

/// State of a pass with vectors of 16 bytes: the factors, and the bits in which received and expected bytes
/// differ. If `kStore` is true, the pass also stores the bytes.
template <bool kStore>
class Vectors128 {
 public:
  using V = __m128i;
  static constexpr std::size_t kSize = sizeof(V), kStride = kSums * kSize;

  SOFTFEB_PCLMUL explicit Vectors128(const Pass& p) : pass_(p), by_(move_by<kStride>()) {}

  /// Loads, compares and stores the vector at `i`.
  SOFTFEB_PCLMUL V load(std::size_t i) {
    const V v = compare(pass_.got.data() + i, pass_.want + i);
    if constexpr (kStore) {
      put(pass_.before + i, get(pass_.to + i));
      put(pass_.to + i, v);
    }
    return v;
  }
  SOFTFEB_PCLMUL V load(const FirstStride<kStride>& first, std::size_t i) {
    return first.extended() ? compare(first.got() + i, first.want() + i) : load(i);
  }
  SOFTFEB_PCLMUL void add(V& sum, std::size_t i) { sum = fold(sum, by_, load(i)); }
  SOFTFEB_PCLMUL static V total(V a, V b, V c, V d) {
    return fold(a, move_by<3 * kSize>(), fold(b, move_by<2 * kSize>(), fold(c, move_by<kSize>(), d)));
  }
  SOFTFEB_PCLMUL bool same() const { return _mm_testz_si128(differ_, differ_) != 0; }
  SOFTFEB_PCLMUL static V fold(V sum, V by, V next) {
    const V low = _mm_clmulepi64_si128(sum, by, 0x00), high = _mm_clmulepi64_si128(sum, by, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
  }

 private:
  SOFTFEB_PCLMUL static V get(const std::uint8_t* p) {
    return _mm_loadu_si128(reinterpret_cast<const V*>(p));
  }
  SOFTFEB_PCLMUL static void put(std::uint8_t* p, V v) { _mm_storeu_si128(reinterpret_cast<V*>(p), v); }
  SOFTFEB_PCLMUL V compare(const std::uint8_t* got, const std::uint8_t* want) {
    const V v = get(got);
    differ_ = _mm_or_si128(differ_, _mm_xor_si128(v, get(want)));
    return v;
  }

  Pass pass_;
  V by_, differ_ = _mm_setzero_si128();
};

/// State of a pass with vectors of 32 bytes; otherwise like the class for vectors of 16 bytes.
template <bool kStore>
class Vectors256 {
 public:
  using V = __m256i;
  static constexpr std::size_t kSize = sizeof(V), kStride = kSums * kSize;

  SOFTFEB_AVX2 explicit Vectors256(const Pass& p)
      : pass_(p), by_(_mm256_broadcastsi128_si256(move_by<kStride>())) {}

  SOFTFEB_AVX2 V load(std::size_t i) {
    const V v = compare(pass_.got.data() + i, pass_.want + i);
    if constexpr (kStore) {
      put(pass_.before + i, get(pass_.to + i));
      put(pass_.to + i, v);
    }
    return v;
  }
  SOFTFEB_AVX2 V load(const FirstStride<kStride>& first, std::size_t i) {
    return first.extended() ? compare(first.got() + i, first.want() + i) : load(i);
  }
  SOFTFEB_AVX2 void add(V& sum, std::size_t i) { sum = fold(sum, by_, load(i)); }
  SOFTFEB_AVX2 static __m128i total(V a, V b, V c, V d) {
    const V last = fold(d, move_lanes<0>(), _mm256_setzero_si256());
    const V lanes = fold(a, move_lanes<3 * kSize>(),
                         fold(b, move_lanes<2 * kSize>(), fold(c, move_lanes<kSize>(), last)));
    return _mm_xor_si128(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
  }
  SOFTFEB_AVX2 bool same() const { return _mm256_testz_si256(differ_, differ_) != 0; }

 private:
  SOFTFEB_AVX2 static V fold(V sum, V by, V next) {
    const V low = _mm256_clmulepi64_epi128(sum, by, 0x00), high = _mm256_clmulepi64_epi128(sum, by, 0x11);
    return _mm256_xor_si256(_mm256_xor_si256(low, high), next);
  }
  /// Factors that move each lane to the last 16 bytes of a vector, and `kBytes` bytes further.
  template <std::size_t kBytes>
  SOFTFEB_AVX2 static V move_lanes() {
    return _mm256_set_epi64x(Move<kBytes>::kSecond, Move<kBytes>::kFirst,  //
                             Move<kBytes + 16>::kSecond, Move<kBytes + 16>::kFirst);
  }
  SOFTFEB_AVX2 static V get(const std::uint8_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const V*>(p));
  }
  SOFTFEB_AVX2 static void put(std::uint8_t* p, V v) { _mm256_storeu_si256(reinterpret_cast<V*>(p), v); }
  SOFTFEB_AVX2 V compare(const std::uint8_t* got, const std::uint8_t* want) {
    const V v = get(got);
    differ_ = _mm256_or_si256(differ_, _mm256_xor_si256(v, get(want)));
    return v;
  }

  Pass pass_;
  V by_, differ_ = _mm256_setzero_si256();
};

/// State of a pass with vectors of 64 bytes; otherwise like the class for vectors of 16 bytes. Some
/// intrinsics are used with a mask of ones, because their variants without a mask use an undefined vector,
/// which GCC 12 warns about.
template <bool kStore>
class Vectors512 {
 public:
  using V = __m512i;
  static constexpr std::size_t kSize = sizeof(V), kStride = kSums * kSize;

  SOFTFEB_AVX512 explicit Vectors512(const Pass& p) : pass_(p), by_(in_all_lanes(move_by<kStride>())) {}

  SOFTFEB_AVX512 V load(std::size_t i) {
    const V v = compare(pass_.got.data() + i, pass_.want + i);
    if constexpr (kStore) {
      _mm512_storeu_si512(pass_.before + i, _mm512_loadu_si512(pass_.to + i));
      _mm512_storeu_si512(pass_.to + i, v);
    }
    return v;
  }
  SOFTFEB_AVX512 V load(const FirstStride<kStride>& first, std::size_t i) {
    return first.extended() ? compare(first.got() + i, first.want() + i) : load(i);
  }
  SOFTFEB_AVX512 void add(V& sum, std::size_t i) { sum = fold(sum, by_, load(i)); }
  SOFTFEB_AVX512 static __m128i total(V a, V b, V c, V d) {
    const V last = fold(d, move_lanes<0>(), _mm512_setzero_si512());
    const V lanes = fold(a, move_lanes<3 * kSize>(),
                         fold(b, move_lanes<2 * kSize>(), fold(c, move_lanes<kSize>(), last)));
    return _mm_xor_si128(_mm_xor_si128(lane<0>(lanes), lane<1>(lanes)),
                         _mm_xor_si128(lane<2>(lanes), lane<3>(lanes)));
  }
  SOFTFEB_AVX512 bool same() const { return _mm512_test_epi64_mask(differ_, differ_) == 0; }

 private:
  SOFTFEB_AVX512 static V fold(V sum, V by, V next) {
    constexpr int kXor3 = 0x96;
    const V low = _mm512_clmulepi64_epi128(sum, by, 0x00), high = _mm512_clmulepi64_epi128(sum, by, 0x11);
    return _mm512_ternarylogic_epi64(low, high, next, kXor3);
  }
  /// Factors that move each lane to the last 16 bytes of a vector, and `kBytes` bytes further.
  template <std::size_t kBytes>
  SOFTFEB_AVX512 static V move_lanes() {
    return _mm512_set_epi64(Move<kBytes>::kSecond, Move<kBytes>::kFirst,            //
                            Move<kBytes + 16>::kSecond, Move<kBytes + 16>::kFirst,  //
                            Move<kBytes + 32>::kSecond, Move<kBytes + 32>::kFirst,  //
                            Move<kBytes + 48>::kSecond, Move<kBytes + 48>::kFirst);
  }
  template <int kLane>
  SOFTFEB_AVX512 static __m128i lane(V v) {
    return _mm512_maskz_extracti32x4_epi32(0xf, v, kLane);
  }
  SOFTFEB_AVX512 static V in_all_lanes(__m128i v) { return _mm512_maskz_broadcast_i32x4(0xffff, v); }
  SOFTFEB_AVX512 V compare(const std::uint8_t* got, const std::uint8_t* want) {
    constexpr int kOrXor = 0xf6;  // truth table of a | (b ^ c)
    const V v = _mm512_loadu_si512(got);
    differ_ = _mm512_ternarylogic_epi64(differ_, v, _mm512_loadu_si512(want), kOrXor);
    return v;
  }

  Pass pass_;
  V by_, differ_ = _mm512_setzero_si512();
};

template <bool kStore>
SOFTFEB_PCLMUL CrcAndComparison pass_pclmul(std::uint32_t seed, const Pass& p) {
  using Vectors = Vectors128<kStore>;
  constexpr std::size_t kSize = Vectors::kSize;
  const FirstStride<Vectors::kStride> first(p);
  Vectors v(p);
  auto a = v.load(first, 0), b = v.load(first, kSize), c = v.load(first, 2 * kSize),
       d = v.load(first, 3 * kSize);
  for (std::size_t i = first.size(); i < p.got.size(); i += Vectors::kStride) {
    v.add(a, i);
    v.add(b, i + kSize);
    v.add(c, i + 2 * kSize);
    v.add(d, i + 3 * kSize);
  }
  const __m128i sum = Vectors::total(a, b, c, d);
  const bool same = v.same();
  return {crc_of_sum(sum, seed, p.got.size()), same};
}

template <bool kStore>
SOFTFEB_AVX2 CrcAndComparison pass_avx2(std::uint32_t seed, const Pass& p) {
  using Vectors = Vectors256<kStore>;
  constexpr std::size_t kSize = Vectors::kSize;
  const FirstStride<Vectors::kStride> first(p);
  Vectors v(p);
  auto a = v.load(first, 0), b = v.load(first, kSize), c = v.load(first, 2 * kSize),
       d = v.load(first, 3 * kSize);
  for (std::size_t i = first.size(); i < p.got.size(); i += Vectors::kStride) {
    v.add(a, i);
    v.add(b, i + kSize);
    v.add(c, i + 2 * kSize);
    v.add(d, i + 3 * kSize);
  }
  const __m128i sum = Vectors::total(a, b, c, d);
  const bool same = v.same();
  _mm256_zeroupper();
  return {crc_of_sum(sum, seed, p.got.size()), same};
}

template <bool kStore>
SOFTFEB_AVX512 CrcAndComparison pass_avx512(std::uint32_t seed, const Pass& p) {
  using Vectors = Vectors512<kStore>;
  constexpr std::size_t kSize = Vectors::kSize;
  const FirstStride<Vectors::kStride> first(p);
  Vectors v(p);
  auto a = v.load(first, 0), b = v.load(first, kSize), c = v.load(first, 2 * kSize),
       d = v.load(first, 3 * kSize);
  for (std::size_t i = first.size(); i < p.got.size(); i += Vectors::kStride) {
    v.add(a, i);
    v.add(b, i + kSize);
    v.add(c, i + 2 * kSize);
    v.add(d, i + 3 * kSize);
  }
  const __m128i sum = Vectors::total(a, b, c, d);
  const bool same = v.same();
  _mm256_zeroupper();
  return {crc_of_sum(sum, seed, p.got.size()), same};
}

using Kernel = CrcAndComparison (*)(std::uint32_t seed, const Pass& p);

template <Kernel kKernel>
CrcAndComparison compare_only(std::uint32_t seed, ByteSpan got, const std::uint8_t* want) {
  if (got.empty()) return {seed, true};
  return kKernel(seed, {got, want == nullptr ? got.data() : want, nullptr, nullptr});
}

template <Kernel kKernel>
CheckedStore store_checked(std::uint32_t seed, std::uint32_t crc, ByteSpan got, const std::uint8_t* want,
                           std::uint8_t* to) {
  if (got.empty()) return {seed == crc, true};
  alignas(64) std::array<std::uint8_t, kMaxPayload> before;
  const CrcAndComparison found = kKernel(seed, {got, want == nullptr ? got.data() : want, to, before.data()});
  if (found.crc == crc) return {true, found.same};
  std::memcpy(to, before.data(), got.size());
  return {false, found.same};
}

}  // namespace

CrcAndComparison crc_and_compare_pclmul(std::uint32_t seed, ByteSpan got, const std::uint8_t* want) {
  return compare_only<pass_pclmul<false>>(seed, got, want);
}
CheckedStore check_and_store_pclmul(std::uint32_t seed, std::uint32_t crc, ByteSpan got,
                                    const std::uint8_t* want, std::uint8_t* to) {
  return store_checked<pass_pclmul<true>>(seed, crc, got, want, to);
}

CrcAndComparison crc_and_compare_avx2(std::uint32_t seed, ByteSpan got, const std::uint8_t* want) {
  return compare_only<pass_avx2<false>>(seed, got, want);
}
CheckedStore check_and_store_avx2(std::uint32_t seed, std::uint32_t crc, ByteSpan got,
                                  const std::uint8_t* want, std::uint8_t* to) {
  return store_checked<pass_avx2<true>>(seed, crc, got, want, to);
}

CrcAndComparison crc_and_compare_avx512(std::uint32_t seed, ByteSpan got, const std::uint8_t* want) {
  return compare_only<pass_avx512<false>>(seed, got, want);
}
CheckedStore check_and_store_avx512(std::uint32_t seed, std::uint32_t crc, ByteSpan got,
                                    const std::uint8_t* want, std::uint8_t* to) {
  return store_checked<pass_avx512<true>>(seed, crc, got, want, to);
}

}  // namespace softfeb::roce

#endif
