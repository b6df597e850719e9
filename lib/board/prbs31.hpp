// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <cstdint>

namespace softfeb::board {

/// Pseudo-random binary sequence of period 2^31 − 1, polynomial x^31 + x^28 + 1 (ITU-T O.150 section 5.8):
/// bit n = bit n−28 XOR bit n−31, not inverted. Bits fill a byte from the least significant end, which is
/// Ethernet's transmission order.
class Prbs31 {
 public:
  static constexpr std::uint32_t kMask = 0x7fff'ffff;

  /// `seed`: the 31 bits before the first, bit 0 the oldest; not 0 (the sequence would be all zeros).
  explicit constexpr Prbs31(std::uint32_t seed) : history_(seed & kMask) {}

  /// Returns the next 24 bits, the first in bit 0. Up to 28 bits could be computed at once: bit n needs bit
  /// n−28.
  constexpr std::uint32_t next24() {
    const std::uint32_t bits = (history_ ^ (history_ >> 3)) & 0xff'ffff;
    history_ = (history_ >> 24) | (bits << 7);
    return bits;
  }

  void fill(MutableByteSpan out);

 private:
  std::uint32_t history_;  ///< the last 31 bits, bit 0 the oldest
};

}  // namespace softfeb::board
