// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace softfeb::congestion {

/// In-band telemetry (INT) of one egress port, written when the first bit of a packet left it. On the wire,
/// `at` and `tx_bytes` are counters of 24 bits (ns) and 20 bits (128 bytes) that wrap. Subtract them only
/// with wrapped_difference(), so that it does not matter whether they have wrapped.
struct IntRecord {
  std::uint64_t rate = 0;      ///< of the port, bytes per second; 0 if unknown
  Time at = 0;                 ///< whole nanoseconds on the wire
  std::uint64_t tx_bytes = 0;  ///< wire bytes that the port has sent; multiples of 128 on the wire
  std::uint32_t queue = 0;     ///< bytes that waited behind the packet; multiples of 80 on the wire

  static constexpr unsigned kTimeBits = 24;  ///< of `at` in nanoseconds: wraps every 16.8 ms
  static constexpr unsigned kByteBits = 27;  ///< of `tx_bytes`: wraps every 134 MB
};

/// A packet's header has room for this many records.
inline constexpr std::size_t kMaxIntRecords = 5;

/// Difference of two counters of `bits` bits, in [-2^(bits - 1), 2^(bits - 1)). Higher bits are ignored.
constexpr std::int64_t wrapped_difference(std::uint64_t later, std::uint64_t earlier, unsigned bits) {
  const std::uint64_t half = std::uint64_t{1} << (bits - 1);
  return static_cast<std::int64_t>((later - earlier + half) & (2 * half - 1)) -
         static_cast<std::int64_t>(half);
}

/// Contents of an acknowledgement, as reported to a congestion control algorithm. `acked` and `sent` are
/// running numbers: they count packets from 0 at the start of the queue pair. If several queue pairs share
/// the algorithm, they are sums over all of them.
struct Ack {
  /// Time at which the first bit of the acknowledged packet left. Set only if this yields a valid RTT sample:
  /// the packet requested the acknowledgement and was sent once (Karn's rule).
  std::optional<Time> sent_at;
  std::uint64_t bytes = 0;                  ///< counted bytes acknowledged for the first time
  std::uint32_t packets = 0;                ///< packets acknowledged for the first time
  std::uint64_t acked = 0;                  ///< packets acknowledged so far, including these
  std::uint64_t sent = 0;                   ///< packets sent at least once so far; never decreases
  Time remote_delay = 0;                    ///< time that the receiver held the packet; 0 if not reported
  std::optional<std::uint8_t> hops;         ///< switches on the path, if they were counted
  std::uint16_t path = 0;                   ///< identifies the path; equal paths have equal values
  std::span<const IntRecord> records = {};  ///< in path order; valid during the call only

  /// Packets that were in flight before this acknowledgement.
  std::uint64_t in_flight_before() const { return sent - acked + packets; }
  /// The RTT less `offset`, at least 1 ps. Requires `sent_at`.
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
