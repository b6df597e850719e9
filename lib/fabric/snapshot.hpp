// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "fabric/config.hpp"
#include "faults/fault_rule.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace softfeb::fabric {

/// Counters of one egress queue of a switch port, cumulative.
struct QueueSnapshot {
  std::uint64_t tx_packets = 0;
  std::uint64_t tx_wire_bytes = 0;
  std::uint64_t ecn_marked = 0;
  std::uint64_t dropped = 0;
  std::uint64_t bytes_max = 0;  ///< longest queue since the start
  /// Longest time for which the queue contained a frame but sent none, because other queues were served or
  /// because of a pause or a rate limit.
  Time starved = 0;
};

/// Snapshot of a switch port. All counters are cumulative.
struct PortSnapshot {
  std::uint32_t switch_index = 0;
  std::uint32_t link = 0;              ///< index into NetworkConfig::links
  NodeRef peer;                        ///< node at the other end
  std::uint64_t rate = 0;              ///< bytes per second on the wire
  std::uint64_t queue_bytes = 0;       ///< bytes in the port's egress queues
  std::uint64_t queue_bytes_peak = 0;  ///< maximum since the previous snapshot
  std::uint64_t queue_bytes_max = 0;   ///< maximum since the start
  std::array<std::uint64_t, kQueues> queue_bytes_of{};
  std::array<QueueSnapshot, kQueues> queues{};
  std::uint64_t tx_packets = 0, tx_bytes = 0, tx_wire_bytes = 0;
  std::uint64_t rx_packets = 0, rx_bytes = 0;
  std::uint64_t ecn_marked = 0;  ///< packets marked CE at this egress port
  /// Packets to this egress port that the switch dropped: packets that the buffer did not admit, plus
  /// ecn_dropped and watchdog_dropped.
  std::uint64_t dropped = 0;
  std::uint64_t ecn_dropped = 0;  ///< packets dropped because they are not ECN-capable (drop_not_ect)
  std::uint64_t pause_tx = 0;     ///< pause frames sent (802.3x or PFC): XOFF and repetitions
  std::uint64_t resume_tx = 0;
  std::uint64_t pause_rx = 0;
  std::uint64_t watchdog_storms = 0;     ///< storms that the PFC watchdog found
  std::uint64_t watchdog_restored = 0;   ///< storms that have ended
  std::uint64_t watchdog_dropped = 0;    ///< packets dropped in storms
  std::uint64_t watchdog_forwarded = 0;  ///< packets sent in storms although their class was paused
  Time paused = 0;  ///< time during which the port was paused although it had frames to send
  std::uint64_t cnp_forged = 0;
  std::uint64_t rx_oversize = 0;   ///< received frames that exceeded the MTU of the switch
  std::uint64_t vlan_dropped = 0;  ///< frames of VLANs that the link does not carry, received or to be sent
  std::uint64_t ttl_expired = 0;   ///< received packets whose TTL or hop limit reached 0
  /// Counted only if INT is on. cch_hops is the number of frames in whose congestion control header the port
  /// counted a hop. cch_invalid is the number of frames with an invalid header, which the port forwarded
  /// unchanged. Neither number includes echoes and control frames.
  std::uint64_t cch_hops = 0, cch_invalid = 0;
};

/// Counters that show the conservation of packets. At any time, entered + made + duplicated = delivered + all
/// dropped_* + consumed + in_network.
struct NetworkTotals {
  std::uint64_t entered = 0;     ///< frames sent by stations
  std::uint64_t made = 0;        ///< pause frames and forged CNPs
  std::uint64_t duplicated = 0;  ///< copies made by fault injection and by flooding
  std::uint64_t delivered = 0;   ///< frames delivered to stations
  std::uint64_t consumed = 0;    ///< MAC control frames consumed by switches
  /// Frames dropped in switches (PortSnapshot::dropped), and at stations that have more than 4 MiB queued for
  /// their link.
  std::uint64_t dropped_buffer = 0;
  std::uint64_t dropped_fault = 0;
  std::uint64_t dropped_unknown = 0;  ///< unknown destination, or invalid frame
  /// Frames that switches dropped because of their MTU, VLANs or TTL.
  std::uint64_t dropped_rules = 0;
  /// Copies and network-generated frames dropped because the frame store was full. They are also counted in
  /// `duplicated` or `made`.
  std::uint64_t dropped_store = 0;
  std::uint64_t in_network = 0;  ///< frames that are queued or on a wire
  std::uint64_t corrupted = 0;   ///< frames that random faults have corrupted
  std::uint64_t reordered = 0;   ///< frames that random faults have reordered
};

/// Packets from one source to one QP.
struct FlowSnapshot {
  std::uint32_t source = 0, destination = 0;  ///< stations
  std::uint32_t qpn = 0;                      ///< QPN at the destination
  std::uint64_t packets = 0, bytes = 0;       ///< delivered packets and their bytes
  std::uint64_t ecn_marked = 0, dropped = 0;
};

/// A port in a set of equal-cost next hops, and counts of the frames for which it was chosen. Does not count
/// flooded frames and frames that had only one next hop. Cumulative.
struct NextHopSnapshot {
  std::uint32_t switch_index = 0;
  std::uint32_t set = 0;   ///< number of the set; NetworkSnapshot::next_hops is grouped by this number
  std::uint32_t port = 0;  ///< index into NetworkSnapshot::ports
  std::uint32_t link = 0;  ///< index into NetworkConfig::links
  std::uint64_t packets = 0, wire_bytes = 0;
};

struct NetworkSnapshot {
  Time taken_at = 0;
  NetworkTotals totals;
  std::vector<PortSnapshot> ports;  ///< grouped by switch
  std::vector<FlowSnapshot> flows;  ///< in the order of their first packets; at most NetworkConfig::flows
  /// Counters of the fault rules of all links, link by link; for each link, the direction from its node `a`
  /// to `b` comes first. Directions without FaultQp have no counters.
  std::vector<faults::RuleCounters> rules;
  std::vector<NextHopSnapshot> next_hops;  ///< sets with at least two ports, grouped by set
};

}  // namespace softfeb::fabric
