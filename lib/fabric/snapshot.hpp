// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "fabric/config.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace softfeb::fabric {

/// A switch's port at one moment; counters since the beginning.
struct PortSnapshot {
  std::uint32_t switch_index = 0;
  std::uint32_t link = 0;              ///< into NetworkConfig::links
  NodeRef peer;                        ///< who is at its other end
  std::uint64_t rate = 0;              ///< bytes per second on the wire
  std::uint64_t queue_bytes = 0;       ///< waiting to leave through it
  std::uint64_t queue_bytes_peak = 0;  ///< since the snapshot before
  std::uint64_t queue_bytes_max = 0;   ///< ever
  std::array<std::uint64_t, kQueues> queue_bytes_of{};
  std::uint64_t tx_packets = 0, tx_bytes = 0, tx_wire_bytes = 0;
  std::uint64_t rx_packets = 0, rx_bytes = 0;
  std::uint64_t ecn_marked = 0;  ///< on their way out here
  std::uint64_t dropped = 0;     ///< for want of buffer, on their way out here
  std::uint64_t pause_tx = 0;    ///< pause frames sent (PFC: too), XOFF and renewals
  std::uint64_t resume_tx = 0;
  std::uint64_t pause_rx = 0;
  Time paused = 0;  ///< time in which it could not send although it had something to send
  std::uint64_t cnp_forged = 0;
};

/// Where packets are: entered + made + duplicated = delivered + dropped (of all kinds) + consumed +
/// in_network, at any time.
struct NetworkTotals {
  std::uint64_t entered = 0;         ///< from stations
  std::uint64_t made = 0;            ///< pause frames and forged CNPs
  std::uint64_t duplicated = 0;      ///< by faults; copies made to flood a frame count too
  std::uint64_t delivered = 0;       ///< to stations
  std::uint64_t consumed = 0;        ///< pause frames that a switch took
  std::uint64_t dropped_buffer = 0;  ///< in switches, and what a station has beyond 4 MiB before its link
  std::uint64_t dropped_fault = 0;
  std::uint64_t dropped_unknown = 0;  ///< for nobody here
  std::uint64_t dropped_store = 0;  ///< the frame store had no room: copies and frames of its own, which are
                                    ///< counted as duplicated or made as well
  std::uint64_t in_network = 0;     ///< queued, or on a wire
  std::uint64_t corrupted = 0;
  std::uint64_t reordered = 0;
};

/// What one source sent to one queue pair.
struct FlowSnapshot {
  std::uint32_t source = 0, destination = 0;  ///< stations
  std::uint32_t qpn = 0;                      ///< destination QP
  std::uint64_t packets = 0, bytes = 0;       ///< delivered
  std::uint64_t ecn_marked = 0, dropped = 0;
};

struct NetworkSnapshot {
  Time taken_at = 0;
  NetworkTotals totals;
  std::vector<PortSnapshot> ports;  ///< switch by switch
  std::vector<FlowSnapshot> flows;  ///< in the order they began; at most Network::kFlows
};

}  // namespace softfeb::fabric
