// SPDX-License-Identifier: BSD-3-Clause
#include "roce/ip.hpp"

#include <cstdio>

#include <arpa/inet.h>

namespace softfeb::roce {

IpAddress IpAddress::from_v4(std::uint32_t host_order) {
  std::array<std::uint8_t, 4> wire;
  store_be32(wire.data(), host_order);
  return from_v4_wire(wire.data());
}

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  const std::string s(text);
  std::array<std::uint8_t, 16> raw;
  if (inet_pton(AF_INET, s.c_str(), raw.data()) == 1) return from_v4_wire(raw.data());
  if (inet_pton(AF_INET6, s.c_str(), raw.data()) == 1) return from_v6_wire(raw.data());
  return std::nullopt;
}

std::string IpAddress::to_string() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (is_v4()) {
    inet_ntop(AF_INET, &bytes[12], text.data(), text.size());
  } else {
    inet_ntop(AF_INET6, bytes.data(), text.data(), text.size());
  }
  return text.data();
}

IpAddress IpAddress::plus(std::uint32_t n) const {
  IpAddress a = *this;
  store_be32(&a.bytes[12], load_be32(&a.bytes[12]) + n);
  return a;
}

std::optional<MacAddress> parse_mac(std::string_view text) {
  const std::string s(text);
  std::array<unsigned, 6> v{};
  int used = 0;
  if (std::sscanf(s.c_str(), "%2x:%2x:%2x:%2x:%2x:%2x%n", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &used) !=
          6 ||
      static_cast<std::size_t>(used) != s.size()) {
    return std::nullopt;
  }
  MacAddress mac;
  for (std::size_t i = 0; i < mac.size(); ++i) mac[i] = static_cast<std::uint8_t>(v[i]);
  return mac;
}

std::string to_string(const MacAddress& mac) {
  std::array<char, 18> text{};
  std::snprintf(text.data(), text.size(), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3],
                mac[4], mac[5]);
  return text.data();
}

MacAddress mac_plus(const MacAddress& mac, std::uint32_t n) {
  MacAddress out = mac;
  store_be32(&out[2], load_be32(&out[2]) + n);
  return out;
}

std::uint32_t checksum_add(std::uint32_t sum, ByteSpan data) {
  std::size_t i = 0;
  for (; i + 1 < data.size(); i += 2) sum += load_be16(&data[i]);
  if (i < data.size()) sum += std::uint32_t{data[i]} << 8;
  return sum;
}

std::uint16_t internet_checksum(ByteSpan data, std::uint32_t start) {
  std::uint32_t sum = checksum_add(start, data);
  while ((sum >> 16) != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

}  // namespace softfeb::roce
