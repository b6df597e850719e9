// SPDX-License-Identifier: BSD-3-Clause
#include "roce/crc_compare.hpp"

#include "roce/cpu.hpp"
#include "roce/crc_table.hpp"
#include "roce/shift_table.hpp"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include "roce/crc_compare_x86.hpp"
#endif

namespace softfeb::roce {

namespace {

CrcAndComparison crc_and_compare_portable(std::uint32_t seed, ByteSpan got, const std::uint8_t* want) {
  const bool same = want == nullptr || got.empty() || std::memcmp(got.data(), want, got.size()) == 0;
  return {crc32_by_table(seed, got), same};
}

CheckedStore check_and_store_portable(std::uint32_t seed, std::uint32_t crc, ByteSpan got,
                                      const std::uint8_t* want, std::uint8_t* to) {
  const CrcAndComparison found = crc_and_compare_portable(seed, got, want);
  if (found.crc == crc && !got.empty()) std::memcpy(to, got.data(), got.size());
  return {found.crc == crc, found.same};
}

}  // namespace

#if defined(__x86_64__)

CrcAndComparison crc_and_compare(std::uint32_t seed, ByteSpan got, const std::uint8_t* want) {
  if (cpu::kVpclmul512) return crc_and_compare_avx512(seed, got, want);
  if (cpu::kVpclmul256) return crc_and_compare_avx2(seed, got, want);
  if (cpu::kPclmul) return crc_and_compare_pclmul(seed, got, want);
  return crc_and_compare_portable(seed, got, want);
}

CheckedStore check_and_store(std::uint32_t seed, std::uint32_t crc, ByteSpan got, const std::uint8_t* want,
                             std::uint8_t* to) {
  if (got.size() <= kMaxPayload) {
    if (cpu::kVpclmul512) return check_and_store_avx512(seed, crc, got, want, to);
    if (cpu::kVpclmul256) return check_and_store_avx2(seed, crc, got, want, to);
    if (cpu::kPclmul) return check_and_store_pclmul(seed, crc, got, want, to);
  }
  return check_and_store_portable(seed, crc, got, want, to);
}

std::span<const CrcKernel> crc_kernels() {
  static const std::array<CrcKernel, 4> kernels{{
      {"portable", true, crc_and_compare_portable, check_and_store_portable},
      {"pclmul", cpu::kPclmul, crc_and_compare_pclmul, check_and_store_pclmul},
      {"avx2", cpu::kVpclmul256, crc_and_compare_avx2, check_and_store_avx2},
      {"avx512", cpu::kVpclmul512, crc_and_compare_avx512, check_and_store_avx512},
  }};
  return kernels;
}

#else

CrcAndComparison crc_and_compare(std::uint32_t seed, ByteSpan got, const std::uint8_t* want) {
  return crc_and_compare_portable(seed, got, want);
}

CheckedStore check_and_store(std::uint32_t seed, std::uint32_t crc, ByteSpan got, const std::uint8_t* want,
                             std::uint8_t* to) {
  return check_and_store_portable(seed, crc, got, want, to);
}

std::span<const CrcKernel> crc_kernels() {
  static const std::array<CrcKernel, 1> kernels{
      {{"portable", true, crc_and_compare_portable, check_and_store_portable}}};
  return kernels;
}

#endif

}  // namespace softfeb::roce
