// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "fabric_fixture.hpp"

#include <cstdint>
#include <vector>

namespace softfeb::test {

inline fabric::LinkConfig link_between(NodeRef a, NodeRef b) {
  fabric::LinkConfig link;
  link.a = a;
  link.b = b;
  link.rate = k10G;
  link.delay = kDelay;
  return link;
}

/// Returns a network of two leaf switches (0 and 1), each with two stations, and `spines` spine switches.
/// Stations 0 and 1 are at the first leaf. Each leaf has a link to each spine.
inline NetworkConfig leaf_spine(std::uint32_t spines) {
  NetworkConfig config = star(4);
  config.multipath.emplace();
  config.switches[0].buffer = 64 << 20;
  for (std::uint32_t s = 1; s < 2 + spines; ++s) {
    config.switches.push_back(config.switches[0]);
    config.switches[s].name = s == 1 ? "leaf" : "spine" + std::to_string(s - 2);
  }
  config.links[2].b = config.links[3].b = switch_(1);
  for (std::uint32_t leaf = 0; leaf < 2; ++leaf)
    for (std::uint32_t s = 0; s < spines; ++s)
      config.links.push_back(link_between(switch_(leaf), switch_(2 + s)));
  return config;
}

/// Returns a frame from station 0 to station 2 with the given UDP source port.
inline std::vector<std::uint8_t> with_source_port(std::uint16_t port, const DataFrame& frame = {0, 2, 64}) {
  std::vector<std::uint8_t> bytes = data_bytes(frame);
  store_be16(&bytes[frame.v6 ? 54 : 34], port);
  return bytes;
}

/// Sends one frame for each of `flows` source ports from station 0 to station 2.
inline void send_flows(Bench& bench, std::uint32_t flows) {
  for (std::uint32_t i = 0; i < flows; ++i)
    bench.send(0, with_source_port(static_cast<std::uint16_t>(0xc000 + i)), 0);
}

/// Returns the number of packets for which each next hop of switch `sw` was chosen, in the order of the
/// ports.
inline std::vector<std::uint64_t> chosen_at(Bench& bench, std::uint32_t sw) {
  std::vector<std::uint64_t> packets;
  for (const fabric::NextHopSnapshot& hop : bench.look(0).next_hops)
    if (hop.switch_index == sw) packets.push_back(hop.packets);
  return packets;
}

}  // namespace softfeb::test
