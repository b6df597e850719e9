// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/values.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace softfeb::config {

struct IpPrefix {
  IpAddress ip;
  std::uint8_t length = 32;
};

/// Parses 02:00:00:00:00:01. The address must be unicast and not all zero.
Parsed<MacAddress> parse_mac(const std::string& text);
/// Parses an IPv4 or IPv6 unicast address.
Parsed<IpAddress> parse_ip(const std::string& text);
/// Parses an address with prefix length: 10.0.0.1/24 or fd00::1/64.
Parsed<IpPrefix> parse_ip_prefix(const std::string& text);

/// Parses a network, for example 10.0.0.0/8. An address without a prefix length is a network of one
/// address. Unlike in parse_ip(), the address need not be unicast. All bits after the prefix must be 0.
Parsed<IpPrefix> parse_network(const std::string& text);
std::string to_string(const IpPrefix& prefix);

using roce::to_string;  // for MacAddress
std::string to_string(const IpAddress& ip);

/// Returns the address plus `n`, or nullopt on overflow. Only the last three bytes of a MAC address are
/// incremented.
std::optional<MacAddress> add(const MacAddress& mac, std::uint64_t n);
std::optional<IpAddress> add(const IpAddress& ip, std::uint64_t n);

/// True for 0.0.0.0 and ::, the wildcard addresses of sockets.
bool is_any(const IpAddress& ip);

/// Returns the address with all bits after the first `length` cleared.
IpAddress network_of(const IpAddress& ip, std::uint8_t length);

bool same_prefix(const IpAddress& a, const IpAddress& b, std::uint8_t length);

/// Returns a locally administered MAC address: 02:fe, followed by the last four bytes of `ip`.
MacAddress mac_for(const IpAddress& ip);

}  // namespace softfeb::config
