// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/ip.hpp"
#include "roce/path.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::engine {

/// Who an endpoint (a board or a receiver) is on its network. Owns (VLAN, address): no two endpoints of a
/// port share it.
struct Identity {
  roce::MacAddress mac{};
  roce::IpAddress ip;
  std::uint8_t prefix_length = 24;
  std::optional<roce::VlanTag> vlan;
  std::optional<roce::IpAddress> gateway;

  /// Whose MAC address a packet to `destination` is sent to: its own on this subnet, else the gateway's.
  roce::IpAddress next_hop(const roce::IpAddress& destination) const;
};

}  // namespace softfeb::engine
