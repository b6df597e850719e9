// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/ip.hpp"
#include "roce/path.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::engine {

/// Network identity of an endpoint (a board or a receiver). (VLAN, IP address) must be unique per port.
struct Identity {
  roce::MacAddress mac{};
  roce::IpAddress ip;
  std::uint8_t prefix_length = 24;
  std::optional<roce::VlanTag> vlan;
  std::optional<roce::IpAddress> gateway;

  /// The next hop for `destination`: the destination itself if it is on this subnet, otherwise the gateway.
  /// Without a gateway, always the destination.
  roce::IpAddress next_hop(const roce::IpAddress& destination) const;
};

}  // namespace softfeb::engine
