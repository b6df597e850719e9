// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/network_setup.hpp"

#include "engine/pause.hpp"

#include <algorithm>

namespace softfeb::runtime {

namespace {

constexpr std::uint64_t kTypicalFrame = 1024;
constexpr std::uint64_t kLeastFrames = 8192;
constexpr std::uint64_t kMostFrames = 65'536;

const config::EndpointConfig& endpoint_at(const config::RunConfig& run, std::size_t index) {
  const std::size_t boards = run.boards.size();
  return index < boards ? run.boards[index].endpoint : run.receivers[index - boards].endpoint;
}

/// Maximum number of frames that the fault rules of links hold back.
std::uint32_t held_frames(const config::LabConfig& lab) {
  std::uint32_t held = 0;
  for (const auto& link : lab.link_rules) {
    for (const config::LinkRulesConfig& direction : link) {
      if (!direction.rules.empty()) held += direction.hold.packets;
    }
  }
  return std::min<std::uint32_t>(held, kMostFrames);
}

}  // namespace

std::uint32_t network_frames(const config::LabConfig& lab) {
  std::uint64_t bytes = 0;
  for (const fabric::SwitchConfig& s : lab.network.switches) bytes += s.buffer;
  for (const fabric::LinkConfig& l : lab.network.links) {
    // Count the data on the wire in both directions, plus the same amount again as headroom.
    const double on_wire = static_cast<double>(l.rate) * to_seconds(l.delay);
    bytes += 4 * static_cast<std::uint64_t>(std::min(on_wire, 1e9));
  }
  const std::uint64_t passing = std::clamp(kLeastFrames + bytes / kTypicalFrame, kLeastFrames, kMostFrames);
  return static_cast<std::uint32_t>(passing) + held_frames(lab);
}

dataplane::NetworkRelayConfig network_settings(const config::LabConfig& lab, const DpdkRuntime& dpdk) {
  dataplane::NetworkRelayConfig c;
  c.frame_bytes = dataplane::frame_bytes_for(lab.mtu);
  for (const config::LabRing& ring : lab.rings) {
    c.ports.push_back({dpdk.ports()[ring.far_port].port->id(), std::nullopt});
  }
  for (const auto& [station, port] : lab.port_stations) {
    c.ports.push_back({dpdk.ports()[port].port->id(), station});
    c.frame_bytes = std::max(c.frame_bytes, dpdk.ports()[port].frame_bytes);
  }
  for (std::size_t e = 0; e < lab.station_of.size(); ++e) {
    if (!lab.station_of[e]) continue;
    const config::EndpointConfig& where = endpoint_at(lab.run, e);
    const auto ring = std::find_if(lab.rings.begin(), lab.rings.end(),
                                   [&](const config::LabRing& r) { return r.near_port == where.port; });
    c.stations.push_back({where.mac, *lab.station_of[e], static_cast<std::size_t>(ring - lab.rings.begin())});
  }
  c.frames = network_frames(lab);
  c.held = held_frames(lab);
  c.lcores = static_cast<unsigned>(lab.run.workers.count) + 1;
  return c;
}

fabric::NetworkConfig network_in_real_time(const config::LabConfig& lab) {
  fabric::NetworkConfig network = lab.network;
  for (std::size_t e = 0; e < lab.station_of.size(); ++e) {
    if (!lab.station_of[e]) continue;
    fabric::StationConfig& station = network.stations[*lab.station_of[e]];
    station.obeys = endpoint_at(lab.run, e).pause;
    station.dscp_to_priority = engine::default_priorities();
  }
  return network;
}

}  // namespace softfeb::runtime
