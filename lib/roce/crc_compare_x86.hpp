// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/crc_compare.hpp"

/// Implementations of crc_and_compare() and check_and_store() for x86-64. Call a function only if the CPU has
/// the instructions that its comment names. The payload of check_and_store_…() must have at most kMaxPayload
/// bytes.
namespace softfeb::roce {

/// PCLMULQDQ: 16 bytes per instruction.
CrcAndComparison crc_and_compare_pclmul(std::uint32_t seed, ByteSpan got, const std::uint8_t* want);
CheckedStore check_and_store_pclmul(std::uint32_t seed, std::uint32_t crc, ByteSpan got,
                                    const std::uint8_t* want, std::uint8_t* to);

/// VPCLMULQDQ and AVX2: 32 bytes per instruction.
CrcAndComparison crc_and_compare_avx2(std::uint32_t seed, ByteSpan got, const std::uint8_t* want);
CheckedStore check_and_store_avx2(std::uint32_t seed, std::uint32_t crc, ByteSpan got,
                                  const std::uint8_t* want, std::uint8_t* to);

/// VPCLMULQDQ and AVX-512F: 64 bytes per instruction.
CrcAndComparison crc_and_compare_avx512(std::uint32_t seed, ByteSpan got, const std::uint8_t* want);
CheckedStore check_and_store_avx512(std::uint32_t seed, std::uint32_t crc, ByteSpan got,
                                    const std::uint8_t* want, std::uint8_t* to);

}  // namespace softfeb::roce
