// SPDX-License-Identifier: BSD-3-Clause
#include "report/markup.hpp"

#include <algorithm>
#include <cstdint>

namespace softfeb::report {

namespace {

/// False for code points that are overlong, surrogates, beyond Unicode, or not permitted by XML 1.0.
bool is_permitted(std::uint32_t code, std::size_t length) {
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[length] || code > 0x10ffff) return false;
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return !(code >= 0xd800 && code <= 0xdfff) && code != 0xfffe && code != 0xffff;
}

}  // namespace

std::size_t character_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto first = static_cast<std::uint8_t>(text[0]);
  std::size_t length = 1;
  std::uint32_t code = first;
  if (first >= 0xf8 || (first >= 0x80 && first < 0xc0)) return 0;
  if (first >= 0xf0) {
    length = 4;
    code = first & 0x07U;
  } else if (first >= 0xe0) {
    length = 3;
    code = first & 0x0fU;
  } else if (first >= 0xc0) {
    length = 2;
    code = first & 0x1fU;
  }
  if (text.size() < length) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    const auto byte = static_cast<std::uint8_t>(text[k]);
    if ((byte & 0xc0U) != 0x80) return 0;
    code = code << 6 | (byte & 0x3fU);
  }
  return is_permitted(code, length) ? length : 0;
}

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0) {
      out += "\xef\xbf\xbd";
    } else if (text[0] == '&') {
      out += "&amp;";
    } else if (text[0] == '<') {
      out += "&lt;";
    } else if (text[0] == '>') {
      out += "&gt;";
    } else if (text[0] == '"') {
      out += "&quot;";
    } else if (text[0] == '\'') {
      out += "&#39;";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    const bool control = first < 0x20 || first == 0x7f ||
                         (first == 0xc2 && length == 2 && static_cast<unsigned char>(text[1]) < 0xa0);
    out += length == 0 || control ? std::string_view("?") : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

}  // namespace softfeb::report
