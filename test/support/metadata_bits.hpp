// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/metadata_codec.hpp"

#include <array>
#include <stdexcept>
#include <string>

namespace softfeb::test {

/// Parses a hexadecimal number, most significant digit first.
template <typename Bits>
Bits from_hex(const std::string& digits) {
  Bits bits;
  std::size_t lsb = 0;
  for (auto d = digits.rbegin(); d != digits.rend(); ++d, lsb += 4) {
    const std::size_t value = std::string("0123456789abcdef").find(*d);
    if (value == std::string::npos || lsb + 4 > Bits::kBytes * 8)
      throw std::runtime_error("not a bus value: " + digits);
    bits.set(lsb, 4, value);
  }
  return bits;
}

/// Parses hexadecimal bytes in wire order.
template <typename Bits>
Bits from_wire_hex(const std::string& hex) {
  std::array<std::uint8_t, Bits::kBytes> bytes{};
  if (hex.size() != 2 * bytes.size())
    throw std::runtime_error("not " + std::to_string(bytes.size()) + " bytes: " + hex);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(std::stoul(hex.substr(2 * i, 2), nullptr, 16));
  }
  return Bits(bytes);
}

template <typename Bits>
std::string to_hex(const Bits& bits) {
  std::string out;
  for (std::size_t lsb = Bits::kBytes * 8; lsb > 0; lsb -= 4) out += "0123456789abcdef"[bits.get(lsb - 4, 4)];
  return out;
}

}  // namespace softfeb::test
