// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::fabric {

/// One direction of a link, from its transmitter to the node at the other end. Number 2 · link from `a` to
/// `b`, 2 · link + 1 back.
struct Direction {
  NodeRef from, to;
};
constexpr std::uint32_t link_of(std::uint32_t direction) { return direction / 2; }
constexpr std::uint32_t reverse_of(std::uint32_t direction) { return direction ^ 1U; }

/// A switch's port: what leaves through it leaves in `direction`.
struct PortPlace {
  std::uint32_t switch_index = 0;
  std::uint32_t direction = 0;
};

/// Who is connected with whom, and which way leads where: worked out once, and checked.
struct Topology {
  static constexpr std::uint16_t kNoPort = UINT16_MAX;

  /// Throws std::invalid_argument for links to nodes that do not exist, nodes with themselves, loops, and
  /// stations that have not exactly one link.
  explicit Topology(const NetworkConfig& config);

  std::vector<Direction> directions;
  std::vector<PortPlace> ports;           ///< switch by switch, in the order of links
  std::vector<std::uint32_t> first_port;  ///< of each switch; one more at the end
  std::vector<std::uint16_t> port_of;     ///< the port that sends in each direction; kNoPort: a station does
  std::vector<std::uint32_t> station_direction;    ///< in which each station sends
  std::vector<std::vector<std::uint16_t>> routes;  ///< [switch][station]: the port; kNoPort: no way
  std::vector<bool> leads_to_learning;             ///< of each port: a station without address is behind it

 private:
  void check_links(const NetworkConfig& config) const;
  void place_ports(const NetworkConfig& config);
  void find_routes(const NetworkConfig& config);
};

}  // namespace softfeb::fabric
