// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"
#include "fabric/snapshot.hpp"

#include <cstdint>
#include <vector>

namespace softfeb::fabric {

/// Selects the nodes that a Network simulates. Several Networks with the same configuration can thus simulate
/// one network together. Each node then belongs to exactly one slice. Switches, stations, links and ports
/// keep the numbers that they have in the whole network. Random numbers, addresses and the order of
/// simultaneous events depend only on these numbers, so the nodes in a slice behave exactly as they do in the
/// whole network.
struct Slice {
  /// Indexed like NetworkConfig::switches; 1 if the switch is in this slice.
  std::vector<std::uint8_t> switches;
  /// Indexed like NetworkConfig::stations; 1 if the station is in this slice.
  std::vector<std::uint8_t> stations;
  /// Maximum number of flows with their own counters. NetworkConfig::flows limits the flows of the whole
  /// network; a slice must count more, because it does not know which flows of the network began first.
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

/// Adds the snapshot `from` of a slice to `to`, a snapshot of the whole network. Network::make_snapshot()
/// must have created `to`, which may already contain other slices. Adds the counters of the slice's ports and
/// the totals of the network. Ignores flows, because the snapshots of slices do not determine the order of
/// flows.
void add_slice(const NetworkConfig& config, const Slice& slice, const NetworkSnapshot& from,
               NetworkSnapshot& to);

/// Adds the counters in `from` to those in `to`.
void add_totals(const NetworkTotals& from, NetworkTotals& to);

}  // namespace softfeb::fabric
