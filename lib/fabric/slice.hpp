// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"
#include "fabric/snapshot.hpp"

#include <cstdint>
#include <vector>

namespace softfeb::fabric {

/// Selects the nodes that a Network simulates. Several Networks with the same configuration can then simulate
/// one network together: each node belongs to exactly one of them. Switches, stations, links and ports keep
/// the numbers that they have in the whole network. Random numbers, addresses and the order of simultaneous
/// events depend on these numbers, so a slice does exactly what its nodes do in the whole network.
struct Slice {
  std::vector<std::uint8_t> switches;  ///< indexed like NetworkConfig::switches; 1: simulated here
  std::vector<std::uint8_t> stations;  ///< indexed like NetworkConfig::stations; 1: simulated here
  /// Maximum number of flows with their own counters. The limit NetworkConfig::flows is that of the whole
  /// network. A slice must count more flows, because it does not know which of them came first.
  std::size_t flows = 4096;

  bool has(const NodeRef& node) const {
    return (node.kind == NodeRef::Kind::kStation ? stations[node.index] : switches[node.index]) != 0;
  }
};

/// Identifies a flow in all slices of a network.
struct FlowKey {
  std::uint32_t source = 0, destination = 0;  ///< stations
  std::uint32_t qpn = 0;                      ///< QPN at the destination
};

/// Adds the snapshot of a slice to that of the whole network, which Network::make_snapshot() has made and
/// which contains the snapshots of other slices: the counters of the slice's ports, and the network's sums.
/// Flows are left out, because their order does not follow from the snapshots of slices.
void add_slice(const NetworkConfig& config, const Slice& slice, const NetworkSnapshot& from,
               NetworkSnapshot& to);

/// Adds `from` to `to`.
void add_totals(const NetworkTotals& from, NetworkTotals& to);

}  // namespace softfeb::fabric
