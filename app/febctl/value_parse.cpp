// SPDX-License-Identifier: BSD-3-Clause
#include "config/error.hpp"
#include "failure.hpp"
#include "roce/ip.hpp"
#include "value.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

#include <fmt/format.h>

namespace softfeb::febctl {

namespace {

[[noreturn]] void illegal(const Register& reg, std::string_view text, const std::string& fix) {
  throw UsageError(fmt::format("{}: \"{}\" is not a valid value; fix: {}", reg.path, text, fix));
}

std::string range_fix(const Register& reg) {
  if (reg.bit_size > 64) return fmt::format("write a number in hex, 0x…, of at most {} bits", reg.bit_size);
  const std::uint64_t max =
      reg.bit_size == 64 ? std::numeric_limits<std::uint64_t>::max() : (std::uint64_t{1} << reg.bit_size) - 1;
  if (reg.base == Base::kSigned)
    return fmt::format("write a whole number from -{} to {}", max / 2 + 1, max / 2);
  return fmt::format("write a whole number from 0 to {:#x} ({} bits)", max, reg.bit_size);
}

std::string names_fix(const Register& reg, std::string_view text) {
  std::vector<std::string> names;
  for (const auto& [value, name] : reg.names) names.push_back(name);
  if (const std::string* near = config::nearest(text, names)) return "did you mean \"" + *near + "\"?";
  std::string list;
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 8); ++i)
    list += (i == 0 ? "" : ", ") + names[i];
  return "write a number or one of: " + list + (names.size() > 8 ? ", …" : "");
}

Bits parse_text(const Register& reg, std::string_view text) {
  if (text.size() > reg.bit_size / 8)
    illegal(reg, text, fmt::format("write at most {} characters", reg.bit_size / 8));
  Bits bits(text.begin(), text.end());
  bits.resize(reg.bit_size / 8, 0);
  return bits;
}

Bits parse_wide(const Register& reg, std::string_view text) {
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  std::uint64_t small = 0;
  if (!hex) {
    if (!parse_number(text, small)) illegal(reg, text, range_fix(reg));
    Bits bits = bits_of(small, 64);
    bits.resize((reg.bit_size + 7) / 8, 0);
    return bits;
  }
  Bits bits((reg.bit_size + 7) / 8, 0);
  std::size_t nibble = 0;
  for (std::size_t i = text.size(); i-- > 2; ++nibble) {
    std::uint8_t digit = 0;
    const auto [end, error] = std::from_chars(&text[i], &text[i] + 1, digit, 16);
    if (error != std::errc{}) illegal(reg, text, range_fix(reg));
    if (digit == 0) continue;
    if (nibble * 4 + std::bit_width(digit) > reg.bit_size) illegal(reg, text, range_fix(reg));
    bits[nibble / 2] = static_cast<std::uint8_t>(bits[nibble / 2] | digit << nibble % 2 * 4);
  }
  return bits;
}

/// Parses an address or port. Returns an empty value if the text is neither. The caller then parses the text
/// as a raw number.
Bits parse_network(const Register& reg, std::string_view text) {
  if (reg.form == NetworkForm::kIp) {
    const auto ip = roce::IpAddress::parse(text);
    if (ip && ip->is_v4()) return {ip->bytes.begin() + 12, ip->bytes.end()};
  } else if (reg.form == NetworkForm::kMac) {
    if (const auto mac = roce::parse_mac(text)) return {mac->begin(), mac->end()};
  } else if (reg.human) {
    std::uint64_t port = 0;
    if (parse_number(text, port) && port <= 0xffff)
      return {static_cast<std::uint8_t>(port >> 8), static_cast<std::uint8_t>(port)};
  }
  if (!reg.human) return {};
  const char* const fix = reg.form == NetworkForm::kIp    ? "write an IPv4 address such as 192.168.2.100"
                          : reg.form == NetworkForm::kMac ? "write a MAC address such as 08:00:56:00:00:01"
                                                          : "write a port from 0 to 65535";
  illegal(reg, text, fix);
}

bool parse_named(const Register& reg, std::string_view text, std::uint64_t& value) {
  if (reg.base == Base::kBool) {
    for (const char* yes : {"true", "True", "yes", "on"}) {
      if (text == yes) return value = 1, true;
    }
    for (const char* no : {"false", "False", "no", "off"}) {
      if (text == no) return value = 0, true;
    }
  }
  for (const auto& [number, name] : reg.names) {
    if (name == text) return value = number, true;
  }
  return false;
}

Bits parse_negative(const Register& reg, std::string_view text) {
  std::uint64_t value = 0;
  const std::uint64_t most = std::uint64_t{1} << (reg.bit_size - 1);
  if (reg.base != Base::kSigned || !parse_number(text.substr(1), value) || value > most)
    illegal(reg, text, range_fix(reg));
  return bits_of(~value + 1, reg.bit_size);
}

Bits parse_scalar(const Register& reg, std::string_view text) {
  if (reg.base == Base::kText) return parse_text(reg, text);
  if (reg.form != NetworkForm::kNone) {
    if (Bits bits = parse_network(reg, text); !bits.empty()) return bits;
  }
  if (reg.bit_size > 64) return parse_wide(reg, text);
  std::uint64_t value = 0;
  if (parse_named(reg, text, value)) return bits_of(value, reg.bit_size);
  if (!text.empty() && text[0] == '-') return parse_negative(reg, text);
  if (!parse_number(text, value))
    illegal(reg, text, reg.names.empty() ? range_fix(reg) : names_fix(reg, text));
  const std::uint32_t usable = reg.base == Base::kSigned ? reg.bit_size - 1 : reg.bit_size;
  if (usable < 64 && value >> usable != 0) illegal(reg, text, range_fix(reg));
  return bits_of(value, reg.bit_size);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string> split_list(std::string_view text) {
  text = trimmed(text);
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
  std::vector<std::string> parts;
  while (true) {
    const std::size_t comma = text.find(',');
    parts.emplace_back(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

bool parse_number(std::string_view text, std::uint64_t& value) {
  int base = 10;
  if (text.size() > 2 && text[0] == '0') {
    const char kind = text[1];
    base = kind == 'x' || kind == 'X' ? 16 : kind == 'b' || kind == 'B' ? 2 : 10;
    if (base != 10) text.remove_prefix(2);
  }
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  return error == std::errc{} && stop == end;
}

Bits parse_value(const Register& reg, std::string_view text) {
  if (reg.elements == 0) return parse_scalar(reg, text);
  return parse_list(reg, split_list(text));
}

Bits parse_list(const Register& reg, const std::vector<std::string>& elements) {
  if (reg.elements == 0)
    throw UsageError(reg.path + ": a list, but the register is not an array; fix: write one value");
  if (elements.size() != reg.elements) {
    throw UsageError(
        fmt::format("{}: {} values for {} elements; fix: write all of them, or one element as {}[0]",
                    reg.path, elements.size(), reg.elements, reg.path));
  }
  Bits all;
  for (std::uint32_t i = 0; i < reg.elements; ++i) {
    const Bits one = parse_scalar(element_of(reg, i), elements[i]);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

}  // namespace softfeb::febctl
