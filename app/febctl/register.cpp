// SPDX-License-Identifier: BSD-3-Clause
#include "register.hpp"

#include <algorithm>

namespace softfeb::febctl {

namespace {

bool bit(ByteSpan bytes, std::size_t at) { return (bytes[at / 8] >> at % 8 & 1U) != 0; }

void set_bit(MutableByteSpan bytes, std::size_t at, bool value) {
  const auto mask = static_cast<std::uint8_t>(1U << at % 8);
  bytes[at / 8] = static_cast<std::uint8_t>(value ? bytes[at / 8] | mask : bytes[at / 8] & ~mask);
}

}  // namespace

Register element_of(const Register& array, std::uint32_t index) {
  Register one = array;
  const std::uint32_t at = array.bit_offset + index * array.element_bits;
  one.path += "[" + std::to_string(index) + "]";
  one.address += at / 32 * 4;
  one.bit_offset = at % 32;
  one.bit_size = array.element_bits;
  one.elements = one.element_bits = 0;
  return one;
}

Bits extract(const Register& reg, ByteSpan words) {
  Bits bits((reg.bit_size + 7) / 8, 0);
  for (std::size_t i = 0; i < reg.bit_size; ++i) set_bit(bits, i, bit(words, reg.bit_offset % 32 + i));
  return bits;
}

void insert(const Register& reg, const Bits& bits, MutableByteSpan words) {
  for (std::size_t i = 0; i < reg.bit_size; ++i) set_bit(words, reg.bit_offset % 32 + i, bit(bits, i));
}

std::uint64_t low64(const Bits& bits) {
  std::uint64_t value = 0;
  for (std::size_t i = std::min<std::size_t>(8, bits.size()); i-- > 0;) value = value << 8 | bits[i];
  return value;
}

Bits bits_of(std::uint64_t value, std::uint32_t size) {
  Bits bits((size + 7) / 8, 0);
  for (std::size_t i = 0; i < bits.size() && i < 8; ++i) bits[i] = static_cast<std::uint8_t>(value >> 8 * i);
  if (size % 8 != 0) bits.back() = static_cast<std::uint8_t>(bits.back() & ((1U << size % 8) - 1));
  return bits;
}

}  // namespace softfeb::febctl
