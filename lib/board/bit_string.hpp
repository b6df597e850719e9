// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace softfeb::board {

/// An integer of `Bits` bits as it is stored in registers: in whole 32-bit words, with little-endian bytes.
/// Bit 0 is the least significant bit of the first byte.
template <std::size_t Bits>
class BitString {
 public:
  static constexpr std::size_t kBytes = (Bits + 31) / 32 * 4;

  constexpr BitString() = default;
  explicit constexpr BitString(std::span<const std::uint8_t, kBytes> bytes) {
    for (std::size_t i = 0; i < kBytes; ++i) bytes_[i] = bytes[i];
    set(Bits, kBytes * 8 - Bits, 0);  // clear the unused bits of the last word
  }

  /// Returns bits [lsb, lsb + width). `width` must be at most 64, and the range must lie inside the string.
  constexpr std::uint64_t get(std::size_t lsb, std::size_t width) const {
    std::uint64_t value = 0;
    for (std::size_t i = width; i-- > 0;) value = value << 1 | (bytes_[(lsb + i) / 8] >> (lsb + i) % 8 & 1U);
    return value;
  }

  /// Writes the low `width` bits of `value`; higher bits are ignored.
  constexpr void set(std::size_t lsb, std::size_t width, std::uint64_t value) {
    for (std::size_t i = 0; i < width; ++i, value >>= 1) {
      const auto mask = static_cast<std::uint8_t>(1U << (lsb + i) % 8);
      std::uint8_t& byte = bytes_[(lsb + i) / 8];
      byte = static_cast<std::uint8_t>((value & 1U) != 0 ? byte | mask : byte & ~mask);
    }
  }

  constexpr const std::array<std::uint8_t, kBytes>& bytes() const { return bytes_; }
  bool operator==(const BitString&) const = default;

 private:
  std::array<std::uint8_t, kBytes> bytes_{};
};

}  // namespace softfeb::board
