// SPDX-License-Identifier: BSD-3-Clause
#include "peers/quote.hpp"

#include <algorithm>

namespace softfeb::peers {

namespace {

constexpr std::size_t kQuoteSize = 60;

}  // namespace

std::string quote(ByteSpan bytes) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text = "'";
  for (const std::uint8_t byte : bytes.first(std::min(bytes.size(), kQuoteSize))) {
    if (byte >= 0x20 && byte < 0x7f)
      text += static_cast<char>(byte);
    else
      text += std::string("\\x") + kHex[byte >> 4] + kHex[byte & 15];
  }
  return text + (bytes.size() > kQuoteSize ? "…'" : "'");
}

std::string quote(std::string_view text) {
  return quote(ByteSpan(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

}  // namespace softfeb::peers
