// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/board.hpp"
#include "engine/receiver.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::engine {

/// Statistics of a sending QP at one point in time. For a slot of the metadata bus, counters are sums over
/// all its QPs so far; `failure` and the QPNs are those of the last QP.
struct SendQpSnapshot {
  roce::Qpn qpn = 0;
  roce::Qpn dest_qpn = 0;
  bool on_bus = false;  ///< true for a slot of the metadata bus; the slots follow the configured QPs
  bool exists = true;   ///< false for a slot that currently contains no QP
  /// True for a UC QP, and for a slot that contains or contained one. A UC completion means that the
  /// message was sent, not that it arrived.
  bool uc = false;
  roce::RequesterCounters requester;
  SendQpCounters counters;
  std::uint64_t completed_payload_bytes = 0;
  /// For slots: the time of the first successful completions (kNever if there are none yet), and their
  /// payload bytes.
  Time first_completed = kNever;
  std::uint64_t first_completed_bytes = 0;
  std::uint64_t messages_made = 0;
  Time pacing_given_up = 0;
  std::optional<roce::WcStatus> failure;
  /// State of the congestion control at the time of the copy; std::nullopt if the QP has no congestion
  /// control.
  std::optional<congestion::CongestionState> congestion;
  bool resolved = false;
};

/// Statistics of a receiving QP at one point in time.
struct ReceiveQpSnapshot {
  roce::ResponderCounters responder;
  std::uint64_t bytes_checked = 0;
  std::uint64_t bytes_wrong = 0;
  std::uint64_t congestion_experienced = 0;
  std::uint64_t missing_messages = 0;
  Time last_uc_message = 0;             ///< Receiver::last_uc_message()
  std::uint32_t bytes_in_progress = 0;  ///< received payload bytes of incomplete messages
  std::uint32_t pmtu = 0;               ///< path MTU in bytes
};

/// Event data of a board or of a receiver at one point in time.
struct EventSnapshot {
  std::uint64_t complete = 0;    ///< receivers only: number of complete events
  std::uint64_t incomplete = 0;  ///< receivers only: number of events that closed without being complete
  std::uint64_t sent = 0;        ///< boards only: number of events whose WRITEs have all completed
  std::uint64_t lost = 0;        ///< boards only: number of events for which there was no room
  Time busy = 0;                 ///< boards only: time for which the board was busy
};

/// Statistics of an endpoint and all its QPs. The QPs are copied one after another, so their times differ by
/// at most the duration of the copy.
struct EndpointSnapshot {
  Time taken_at = 0;  ///< time at which the last QP was copied
  EndpointCounters endpoint;
  HostCounters host;
  std::uint64_t cnp_tx = 0;
  std::uint64_t replies_dropped = 0;
  /// Numbers of GRANTs sent, RESENDs sent, and BUSYs received; only for receivers with Homa.
  std::uint64_t grant_tx = 0;
  std::uint64_t resend_tx = 0;
  std::uint64_t busy_rx = 0;
  bool grants = false;                          ///< receivers only: some QPs need grants
  std::optional<roce::WindowCounters> windows;  ///< receivers with a map of missing data
  /// With `windows`: received payload bytes of incomplete messages.
  std::uint64_t bytes_in_progress = 0;
  std::uint64_t transfers_notified = 0;  ///< receivers only: number of notifications of transfers
  std::optional<EventSnapshot> events;   ///< endpoints with event data
  std::size_t unresolved = 0;
  Time resolution_took = 0;                       ///< boards only: NextHops::took()
  Time paused = 0;                                ///< total time for which the link or a priority was paused
  bool finished = false;                          ///< boards only: all messages have completed
  std::optional<detector::StreamCounts> streams;  ///< receivers with streams of datagrams
  std::optional<TrafficGenCounters> traffic_gen;  ///< boards whose port has a traffic generator
  bool traffic_gen_running = false;               ///< a burst of the generator is in progress
  std::vector<SendQpSnapshot> send_qps;
  std::vector<ReceiveQpSnapshot> receive_qps;
};

/// Allocates a snapshot for the endpoint, so that take_snapshot() does not allocate memory.
EndpointSnapshot make_snapshot(const Endpoint& endpoint);

/// Copies the statistics of up to `limit` QPs, starting at QP `first`. After the last QP, also copies the
/// statistics of the endpoint. Returns the number of the next QP, or the QP count when the snapshot is
/// complete. Copying in slices limits the delay of packets.
std::size_t take_snapshot(const Endpoint& endpoint, EndpointSnapshot& out, std::size_t first,
                          std::size_t limit, Time now);

}  // namespace softfeb::engine
