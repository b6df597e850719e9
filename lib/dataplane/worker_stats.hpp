// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <algorithm>
#include <cstdint>

/// Counters of a worker. Includes no DPDK header, so that results and checks can be built without DPDK.
namespace softfeb::dataplane {

struct PortQueueCounters {
  std::uint64_t rx_packets = 0;
  std::uint64_t rx_nobody = 0;       ///< packets whose destination is not an endpoint of this port
  std::uint64_t rx_malformed = 0;    ///< packets with a bad length or checksum, or with too many segments
  std::uint64_t rx_handed_over = 0;  ///< packets handed to another worker
  std::uint64_t control_rx = 0;      ///< datagrams passed to the control thread
  std::uint64_t control_tx = 0;      ///< frames from the control thread; also in tx_packets
  /// Packets lost because the ring to another worker or to the control thread was full.
  std::uint64_t ring_full = 0;
  std::uint64_t tx_packets = 0;
  std::uint64_t tx_bytes = 0;
  std::uint64_t tx_short = 0;  ///< bursts that the port accepted only in part; the other packets are retried
};

/// Counters since the start. Each packet in rx_packets either entered the network or is counted in
/// rx_stranger or rx_unusable.
struct NetworkRelayCounters {
  std::uint64_t rx_packets = 0;
  std::uint64_t rx_stranger = 0;  ///< packets whose source MAC address belongs to no station
  /// Packets that are too short, or whose headers could not be copied for lack of a buffer.
  std::uint64_t rx_unusable = 0;
  std::uint64_t rx_outside = 0;  ///< packets in rx_packets that came from external ports
  std::uint64_t tx_packets = 0;
  std::uint64_t tx_outside = 0;  ///< packets in tx_packets that left through external ports
  std::uint64_t tx_short = 0;    ///< bursts that a port accepted only in part; the other packets are retried
  std::uint64_t tx_dropped = 0;  ///< packets dropped because the external port's queue was full (kPortRoom)
  std::uint64_t tx_waiting = 0;  ///< packets currently queued for a port
  std::uint64_t held_up = 0;     ///< receive bursts shortened because too few frames were free
  std::uint64_t overruns = 0;    ///< iterations that ran more than kLate after a network event was due
  Time latest = 0;               ///< largest delay of the iterations in `overruns`
  Time late = 0;                 ///< sum of the delays of the iterations in `overruns`
  static constexpr Time kLate = 20 * kMicrosecond;
};

/// Timing of the worker's loop. Long gaps between iterations show that the worker was preempted.
struct LoopCounters {
  std::uint64_t turns = 0;
  std::uint64_t busy_turns = 0;
  /// Longest time between the starts of two iterations. After a sleep, the gap is measured from the planned
  /// end of the sleep, and counts only if it exceeds kPreempted.
  Time longest_gap = 0;
  Time ran = 0;        ///< time since the loop started
  Time preempted = 0;  ///< sum of the gaps above kPreempted
  static constexpr Time kPreempted = 1 * kMillisecond;
};

/// All counters of a worker except those of its endpoints.
struct WorkerStats {
  /// Number of boards that have not started, or that have messages to send or complete.
  std::uint64_t unfinished = 0;
  PortQueueCounters port_queues;
  LoopCounters loop;
  NetworkRelayCounters network;  ///< all 0 if the worker runs no network

  /// Adds the counters of another worker. There are two exceptions: longest_gap becomes the maximum of both
  /// workers, and the network's counters do not change.
  WorkerStats& operator+=(const WorkerStats& other) {
    unfinished += other.unfinished;
    port_queues.rx_packets += other.port_queues.rx_packets;
    port_queues.rx_nobody += other.port_queues.rx_nobody;
    port_queues.rx_malformed += other.port_queues.rx_malformed;
    port_queues.rx_handed_over += other.port_queues.rx_handed_over;
    port_queues.control_rx += other.port_queues.control_rx;
    port_queues.control_tx += other.port_queues.control_tx;
    port_queues.ring_full += other.port_queues.ring_full;
    port_queues.tx_packets += other.port_queues.tx_packets;
    port_queues.tx_bytes += other.port_queues.tx_bytes;
    port_queues.tx_short += other.port_queues.tx_short;
    loop.turns += other.loop.turns;
    loop.busy_turns += other.loop.busy_turns;
    loop.longest_gap = std::max(loop.longest_gap, other.loop.longest_gap);
    loop.preempted += other.loop.preempted;
    loop.ran += other.loop.ran;
    return *this;
  }
};

}  // namespace softfeb::dataplane
