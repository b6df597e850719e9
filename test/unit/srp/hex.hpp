// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace softfeb::test {

/// Converts hexadecimal digits to bytes; ignores spaces and bars.
inline std::vector<std::uint8_t> hex(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c == ' ' || c == '|') continue;
    if (std::string_view("0123456789abcdef").find(c) == std::string_view::npos)
      throw std::invalid_argument("no hex: " + std::string(text));
    digits += c;
  }
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(digits.substr(i, 2), nullptr, 16)));
  return bytes;
}

inline std::string to_hex(ByteSpan bytes) {
  std::string out;
  for (const std::uint8_t b : bytes) {
    out += "0123456789abcdef"[b >> 4];
    out += "0123456789abcdef"[b & 15];
  }
  return out;
}

}  // namespace softfeb::test
