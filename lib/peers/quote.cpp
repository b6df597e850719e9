// SPDX-License-Identifier: BSD-3-Clause
#include "peers/quote.hpp"

#include <algorithm>

namespace softfeb::peers {

namespace {

constexpr std::size_t kQuoteSize = 60;
constexpr std::size_t kTextSize = 1000;
constexpr std::uint8_t kDelete = 0x7f;

void append_escaped(std::string& out, std::uint8_t byte) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += std::string("\\x") + kHex[byte >> 4] + kHex[byte & 15];
}

}  // namespace

std::string quote(ByteSpan bytes) {
  std::string text = "'";
  for (const std::uint8_t byte : bytes.first(std::min(bytes.size(), kQuoteSize))) {
    if (byte >= 0x20 && byte < kDelete)
      text += static_cast<char>(byte);
    else
      append_escaped(text, byte);
  }
  return text + (bytes.size() > kQuoteSize ? "…'" : "'");
}

std::string quote(std::string_view text) {
  return quote(ByteSpan(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kTextSize)) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (byte >= 0x20 && byte != kDelete)  // includes UTF-8
      out += c;
    else
      append_escaped(out, byte);
  }
  return text.size() > kTextSize ? out + "…" : out;
}

}  // namespace softfeb::peers
