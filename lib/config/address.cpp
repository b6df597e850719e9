// SPDX-License-Identifier: BSD-3-Clause
#include "config/address.hpp"

#include "config/units.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>

#include <arpa/inet.h>

namespace softfeb::config {
namespace {

/// Adds `n` to a big-endian number; false when it wraps.
bool add_to(std::span<std::uint8_t> number, std::uint64_t n) {
  for (std::size_t i = number.size(); i-- > 0 && n != 0;) {
    // The low byte is added apart, so that the sum cannot pass 64 bits.
    const unsigned sum = number[i] + static_cast<unsigned>(n & 0xff);
    number[i] = static_cast<std::uint8_t>(sum);
    n = (n >> 8) + (sum >> 8);
  }
  return n == 0;
}

bool unicast(const IpAddress& ip) {
  if (std::all_of(ip.bytes.begin(), ip.bytes.end(), [](std::uint8_t b) { return b == 0; })) return false;
  return ip.v6 ? ip.bytes[0] != 0xff : ip.bytes[0] < 224;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Parsed<MacAddress> parse_mac(const std::string& text) {
  const char* fix = "write six bytes in hexadecimal, for example 02:00:00:00:00:01";
  MacAddress mac{};
  bool ok = text.size() == 17;
  for (std::size_t i = 0; ok && i < 6; ++i) {
    const int high = hex_digit(text[3 * i]);
    const int low = hex_digit(text[3 * i + 1]);
    ok = high >= 0 && low >= 0 && (i == 5 || text[3 * i + 2] == ':');
    if (ok) mac[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  if (!ok) return {'"' + text + "\" is not a MAC address", fix};
  if ((mac[0] & 1) != 0) return {text + " is a multicast address", "the first byte must be even"};
  if (mac == MacAddress{}) return {"a MAC address of zeros names nobody", fix};
  return mac;
}

Parsed<IpAddress> parse_ip(const std::string& text) {
  IpAddress ip;
  ip.v6 = text.find(':') != std::string::npos;
  if (inet_pton(ip.v6 ? AF_INET6 : AF_INET, text.c_str(), ip.bytes.data()) != 1) {
    return {'"' + text + "\" is not an IP address", "write for example 10.0.0.1 or fd00::1"};
  }
  if (!unicast(ip)) return {text + " is not a unicast address", "write the address of one host"};
  return ip;
}

Parsed<IpPrefix> parse_ip_prefix(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto ip = parse_ip(text.substr(0, slash));
  if (!ip.value) return ip.failure<IpPrefix>();
  if (slash == std::string::npos) {
    return {'"' + text + "\" has no prefix length", "write " + text + (ip.value->v6 ? "/64" : "/24")};
  }
  const auto length = parse_integer(text.substr(slash + 1), 1, ip.value->v6 ? 128 : 32);
  if (!length.value) return {"prefix length " + length.message, length.fix};
  return IpPrefix{*ip.value, static_cast<std::uint8_t>(*length.value)};
}

std::string to_string(const MacAddress& mac) {
  std::array<char, 18> text{};
  std::snprintf(text.data(), text.size(), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3],
                mac[4], mac[5]);
  return text.data();
}

std::string to_string(const IpAddress& ip) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(ip.v6 ? AF_INET6 : AF_INET, ip.bytes.data(), text.data(), text.size());
  return text.data();
}

std::optional<MacAddress> add(const MacAddress& mac, std::uint64_t n) {
  MacAddress sum = mac;
  // The vendor's half stays: counting into it would make somebody else's address.
  if (!add_to(std::span(sum).last(3), n)) return std::nullopt;
  return sum;
}

std::optional<IpAddress> add(const IpAddress& ip, std::uint64_t n) {
  IpAddress sum = ip;
  if (!add_to(std::span(sum.bytes).first(ip.v6 ? 16 : 4), n)) return std::nullopt;
  return sum;
}

bool same_prefix(const IpAddress& a, const IpAddress& b, std::uint8_t length) {
  if (a.v6 != b.v6) return false;
  for (unsigned bit = 0; bit < length; bit += 8) {
    const unsigned bits = std::min(8U, length - bit);
    const auto mask = static_cast<std::uint8_t>(0xff00U >> bits);
    if (((a.bytes[bit / 8] ^ b.bytes[bit / 8]) & mask) != 0) return false;
  }
  return true;
}

MacAddress mac_for(const IpAddress& ip) {
  const std::size_t last = ip.v6 ? 12 : 0;
  return {0x02, 0xfe, ip.bytes[last], ip.bytes[last + 1], ip.bytes[last + 2], ip.bytes[last + 3]};
}

}  // namespace softfeb::config
