// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "congestion/int_record.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace softfeb::congestion {

/// Maximum number of INT records in a packet's header.
inline constexpr std::size_t kMaxIntRecords = 5;

/// Contents of an acknowledgement, as reported to a congestion control algorithm. `acked` and `sent` count
/// packets since the start of the queue pair. If several queue pairs share a CongestionControl object,
/// `acked` and `sent` are sums over these queue pairs.
struct Ack {
  /// Time at which the first bit of the acknowledged packet left, for an RTT sample. Empty if the packet did
  /// not request the acknowledgement or was retransmitted (Karn's rule), so that no sample is valid.
  std::optional<Time> sent_at;
  std::uint64_t bytes = 0;    ///< bytes acknowledged for the first time, from BTH through pad
  std::uint32_t packets = 0;  ///< packets acknowledged for the first time
  /// Packets acknowledged so far, including those of this acknowledgement.
  std::uint64_t acked = 0;
  std::uint64_t sent = 0;            ///< packets sent at least once so far; never decreases
  Time remote_delay = 0;             ///< time for which the receiver held the packet; 0 if not reported
  std::optional<std::uint8_t> hops;  ///< number of switches on the path, if they were counted
  std::uint16_t path = 0;            ///< identifies the path; equal paths have equal values
  /// The algorithm's own header fields, as the receiver returned them; valid during the call only.
  std::span<const std::uint8_t> header = {};
  std::span<const IntRecord> records = {};  ///< in path order; valid during the call only

  /// Number of packets that were in flight before this acknowledgement arrived.
  std::uint64_t in_flight_before() const { return sent - acked + packets; }
  /// RTT of the acknowledged packet minus `offset`, at least 1 ps. Requires `sent_at`.
  Time rtt(Time now, Time offset = 0) const {
    const auto rtt = static_cast<std::int64_t>(now - *sent_at - offset);
    return rtt < 1 ? 1 : static_cast<Time>(rtt);
  }
};

/// Reason for a retransmission.
enum class Nak : std::uint8_t {
  kSequence,          ///< NAK 0x60: a packet was lost
  kReceiverNotReady,  ///< RNR NAK: the peer had no receive request
  kTimeout,           ///< the ACK timer expired; no NAK was received
};

}  // namespace softfeb::congestion
