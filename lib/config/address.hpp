// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/parsed.hpp"
#include "config/values.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace softfeb::config {

struct IpPrefix {
  IpAddress ip;
  std::uint8_t length = 32;
};

/// 02:00:00:00:00:01; unicast, not all zero.
Parsed<MacAddress> parse_mac(const std::string& text);
/// IPv4 or IPv6 unicast address.
Parsed<IpAddress> parse_ip(const std::string& text);
/// Address with prefix length, 10.0.0.1/24 or fd00::1/64.
Parsed<IpPrefix> parse_ip_prefix(const std::string& text);

/// A network, 10.0.0.0/8; a single address is a network by itself. Any address, no bits beyond the prefix.
Parsed<IpPrefix> parse_network(const std::string& text);
std::string to_string(const IpPrefix& prefix);

using roce::to_string;  // MacAddress
std::string to_string(const IpAddress& ip);

/// The address `n` further on; nothing when it would wrap.
std::optional<MacAddress> add(const MacAddress& mac, std::uint64_t n);
std::optional<IpAddress> add(const IpAddress& ip, std::uint64_t n);

/// 0.0.0.0 or ::, as sockets take it for every address of the host.
bool is_any(const IpAddress& ip);

/// The address with all bits behind the first `length` cleared.
IpAddress network_of(const IpAddress& ip, std::uint8_t length);

bool same_prefix(const IpAddress& a, const IpAddress& b, std::uint8_t length);

/// A locally administered MAC made of the address's last four bytes: 02:fe:….
MacAddress mac_for(const IpAddress& ip);

}  // namespace softfeb::config
