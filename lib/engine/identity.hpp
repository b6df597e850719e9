// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/ip.hpp"
#include "roce/path.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::engine {

/// Network identity of an endpoint (a board or a receiver). The pair (VLAN, IP address) must be unique per
/// port.
struct Identity {
  roce::MacAddress mac{};
  roce::IpAddress ip;
  std::uint8_t prefix_length = 24;
  std::optional<roce::VlanTag> vlan;
  std::optional<roce::IpAddress> gateway;

  /// Returns the next hop for `destination`: the destination itself if it is on this subnet or there is no
  /// gateway, otherwise the gateway.
  roce::IpAddress next_hop(const roce::IpAddress& destination) const;
};

}  // namespace softfeb::engine
