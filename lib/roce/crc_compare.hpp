// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

/// Checks received payload in one pass: each byte is loaded once, added to the CRC, compared with the
/// expected byte, and stored. Carry-less multiplications limit the speed of this pass, so comparing and
/// storing cost almost nothing. doc/icrc.md describes the method.
namespace softfeb::roce {

struct CrcAndComparison {
  std::uint32_t crc = 0;  ///< follows the convention of roce/icrc.hpp
  bool same = true;       ///< whether all bytes have the expected values
};

/// Continues the CRC `seed` over `got` and compares `got` with the bytes at `want`. If `want` is null,
/// nothing is compared and `same` is true. Any length and any alignment are allowed.
CrcAndComparison crc_and_compare(std::uint32_t seed, ByteSpan got, const std::uint8_t* want);

struct CheckedStore {
  bool crc_matches = false;
  bool same = true;
};

/// Like crc_and_compare(), but also stores `got` at `to` if the CRC is `crc`, whether or not the bytes have
/// the expected values. If the CRC is wrong, the memory at `to` is the same as before the call. During the
/// call, it may contain bytes of `got`: no other thread may read this memory, and the memory must not overlap
/// `got` or `want`. `to` must not be null.
CheckedStore check_and_store(std::uint32_t seed, std::uint32_t crc, ByteSpan got, const std::uint8_t* want,
                             std::uint8_t* to);

/// An implementation of crc_and_compare() and check_and_store(), for tests and benchmarks. All
/// implementations have the same results. crc_and_compare() and check_and_store() use the fastest
/// implementation that the CPU supports.
struct CrcKernel {
  const char* name;
  bool supported;  ///< whether this CPU supports this implementation
  CrcAndComparison (*compare)(std::uint32_t seed, ByteSpan got, const std::uint8_t* want);
  /// `got` must have at most kMaxPayload bytes.
  CheckedStore (*store)(std::uint32_t seed, std::uint32_t crc, ByteSpan got, const std::uint8_t* want,
                        std::uint8_t* to);
};

/// All implementations for this architecture, from the slowest to the fastest. The first is the portable one.
std::span<const CrcKernel> crc_kernels();

}  // namespace softfeb::roce
