// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::fabric {

/// One direction of a link, from its transmitter to the node at the other end. Direction 2 · link goes from
/// the link's node `a` to node `b`, and direction 2 · link + 1 from `b` to `a`.
struct Direction {
  NodeRef from, to;
};
constexpr std::uint32_t link_of(std::uint32_t direction) { return direction / 2; }
constexpr std::uint32_t reverse_of(std::uint32_t direction) { return direction ^ 1U; }

/// A switch port; `direction` is its egress direction.
struct PortPlace {
  std::uint32_t switch_index = 0;
  std::uint32_t direction = 0;
};

/// Links and routes of a network. The constructor validates the links and computes the routes.
struct Topology {
  static constexpr std::uint16_t kNoPort = UINT16_MAX;

  /// Throws std::invalid_argument for links to nodes that do not exist, links from a node to itself, loops
  /// without NetworkConfig::multipath, and stations that do not have exactly one link.
  explicit Topology(const NetworkConfig& config);

  std::vector<Direction> directions;
  std::vector<PortPlace> ports;  ///< grouped by switch, in the order of links
  /// First port of each switch, followed by the number of all ports.
  std::vector<std::uint32_t> first_port;
  /// Sending port of each direction; kNoPort if a station sends.
  std::vector<std::uint16_t> port_of;
  std::vector<std::uint32_t> station_direction;  ///< sending direction of each station
  /// For each port: true if frames are flooded over its link (spanning_tree()). In a network without loops,
  /// this is true for all ports.
  std::vector<bool> floods;
  /// Egress port on the spanning tree, by [switch][station]; kNoPort if there is no route. With several
  /// paths, Multipath selects the egress port instead.
  std::vector<std::vector<std::uint16_t>> routes;
  /// For each port: true if flooded frames reach at least one station without a configured address.
  std::vector<bool> leads_to_learning;

 private:
  void check_links(const NetworkConfig& config) const;
  void place_ports(const NetworkConfig& config);
  void find_routes(const NetworkConfig& config);
};

}  // namespace softfeb::fabric
