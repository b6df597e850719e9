// SPDX-License-Identifier: BSD-3-Clause
#include "config/address.hpp"

#include "config/units.hpp"

#include <algorithm>
#include <span>

namespace softfeb::config {
namespace {

/// Adds `n` to a big-endian number; returns false on overflow.
bool add_to(std::span<std::uint8_t> number, std::uint64_t n) {
  for (std::size_t i = number.size(); i-- > 0 && n != 0;) {
    // Add the low byte separately, so that the sum cannot overflow 64 bits.
    const unsigned sum = number[i] + static_cast<unsigned>(n & 0xff);
    number[i] = static_cast<std::uint8_t>(sum);
    n = (n >> 8) + (sum >> 8);
  }
  return n == 0;
}

/// Returns the 16 bytes of an IPv6 address, or the 4 bytes of an IPv4 address, which IpAddress stores in its
/// last four bytes.
template <class Address>
auto visible(Address& ip) {
  return std::span(ip.bytes).subspan(ip.is_v4() ? 12 : 0);
}

bool unicast(const IpAddress& ip) {
  const auto bytes = visible(ip);
  if (std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b == 0; })) return false;
  return ip.is_v4() ? bytes[0] < 224 : bytes[0] != 0xff;
}

}  // namespace

Parsed<MacAddress> parse_mac(const std::string& text) {
  const char* fix = "write six bytes in hexadecimal, for example 02:00:00:00:00:01";
  const auto mac = roce::parse_mac(text);
  if (!mac) return {'"' + text + "\" is not a MAC address", fix};
  if (((*mac)[0] & 1) != 0) return {text + " is a multicast address", "the first byte must be even"};
  if (*mac == MacAddress{}) return {"an all-zero MAC address is not valid", fix};
  return *mac;
}

Parsed<IpAddress> parse_ip(const std::string& text) {
  const auto ip = IpAddress::parse(text);
  if (!ip) return {'"' + text + "\" is not an IP address", "write for example 10.0.0.1 or fd00::1"};
  if (!unicast(*ip)) return {text + " is not a unicast address", "write the address of a single host"};
  return *ip;
}

Parsed<IpPrefix> parse_ip_prefix(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto ip = parse_ip(text.substr(0, slash));
  if (!ip.value) return ip.failure<IpPrefix>();
  if (slash == std::string::npos) {
    return {'"' + text + "\" has no prefix length", "write " + text + (ip.value->is_v4() ? "/24" : "/64")};
  }
  const auto length = parse_integer(text.substr(slash + 1), 1, ip.value->is_v4() ? 32 : 128);
  if (!length.value) return {"prefix length " + length.message, length.fix};
  return IpPrefix{*ip.value, static_cast<std::uint8_t>(*length.value)};
}

Parsed<IpPrefix> parse_network(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto ip = IpAddress::parse(text.substr(0, slash));
  if (!ip) return {'"' + text + "\" is not a network", "write for example 127.0.0.0/8, or one address"};
  const std::uint8_t all = ip->is_v4() ? 32 : 128;
  if (slash == std::string::npos) return IpPrefix{*ip, all};
  const auto length = parse_integer(text.substr(slash + 1), 0, all);
  if (!length.value) return {"prefix length " + length.message, length.fix};
  const IpPrefix network{network_of(*ip, static_cast<std::uint8_t>(*length.value)),
                         static_cast<std::uint8_t>(*length.value)};
  if (network.ip != *ip) {
    return {text + " has bits beyond its prefix", "write " + to_string(network) + ", or a longer prefix"};
  }
  return network;
}

IpAddress network_of(const IpAddress& ip, std::uint8_t length) {
  IpAddress network = ip;
  const auto bytes = visible(network);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t bits = length > 8 * i ? std::min<std::size_t>(8, length - 8 * i) : 0;
    bytes[i] &= static_cast<std::uint8_t>(0xff00U >> bits);
  }
  return network;
}

std::string to_string(const IpPrefix& prefix) {
  return to_string(prefix.ip) + '/' + std::to_string(prefix.length);
}

std::string to_string(const IpAddress& ip) { return ip.to_string(); }

std::optional<MacAddress> add(const MacAddress& mac, std::uint64_t n) {
  MacAddress sum = mac;
  // Keep the OUI: a carry into it would give another vendor's address.
  if (!add_to(std::span(sum).last(3), n)) return std::nullopt;
  return sum;
}

std::optional<IpAddress> add(const IpAddress& ip, std::uint64_t n) {
  IpAddress sum = ip;
  if (!add_to(visible(sum), n)) return std::nullopt;
  return sum;
}

bool is_any(const IpAddress& ip) {
  const auto bytes = visible(ip);
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b == 0; });
}

bool same_prefix(const IpAddress& a, const IpAddress& b, std::uint8_t length) {
  if (a.is_v4() != b.is_v4()) return false;
  const auto x = visible(a);
  const auto y = visible(b);
  for (unsigned bit = 0; bit < length; bit += 8) {
    const unsigned bits = std::min(8U, length - bit);
    const auto mask = static_cast<std::uint8_t>(0xff00U >> bits);
    if (((x[bit / 8] ^ y[bit / 8]) & mask) != 0) return false;
  }
  return true;
}

MacAddress mac_for(const IpAddress& ip) {
  return {0x02, 0xfe, ip.bytes[12], ip.bytes[13], ip.bytes[14], ip.bytes[15]};
}

}  // namespace softfeb::config
