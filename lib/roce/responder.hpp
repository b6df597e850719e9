// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/segments.hpp"
#include "base/time.hpp"
#include "roce/headers.hpp"
#include "roce/packet.hpp"
#include "roce/work.hpp"

namespace softfeb::roce {

/// Registered memory: the remote addresses [address, address + length) under `rkey`. `data` may be null for a region
/// that is checked but not stored (payload discarded after checking). Does not own the memory.
struct MemoryRegion {
  std::uint64_t address = 0;
  std::uint64_t length = 0;
  std::uint32_t rkey = 0;
  std::uint8_t* data = nullptr;
};

struct ResponderConfig {
  Transport transport = Transport::kRc;
  Qpn qpn = 0;
  Qpn dest_qpn = 0;  ///< the requester's: where acknowledgements go
  std::uint32_t pmtu = 4096;
  Psn expected_psn = 0;
  std::uint8_t rnr_timer = 12;  ///< code in our RNR NAKs
  /// Receive requests at the start; kUnlimitedReceives = never out of them.
  std::uint64_t receives = UINT64_MAX;
};
inline constexpr std::uint64_t kUnlimitedReceives = UINT64_MAX;

struct ResponderCounters {
  std::uint64_t packets = 0;
  std::uint64_t payload_bytes = 0;  ///< written to memory (duplicates not)
  std::uint64_t messages = 0;       ///< complete ones
  std::uint64_t immediates = 0;
  std::uint64_t duplicate = 0;
  std::uint64_t out_of_order = 0;  ///< RC: packets dropped behind a gap; UC: packets that revealed a gap
  std::uint64_t missing_packets = 0;  ///< UC: PSNs that never came
  std::uint64_t missing_messages = 0;  ///< UC: messages cut short or passed over as far as PSNs tell
  std::uint64_t ack_tx = 0, nak_sequence_tx = 0, nak_error_tx = 0, rnr_tx = 0;
  std::uint64_t ignored = 0;  ///< in ERR
};

/// What a request did. `reply` is to be sent to the requester (already the right PSN and MSN).
struct Reply {
  Aeth aeth{};
  Psn psn = 0;
};

/// A message came to its end: what the receiving application sees.
struct MessageEvent {
  std::uint64_t address = 0;  ///< remote address of its first byte (WRITE)
  std::uint32_t length = 0;
  bool has_immediate = false;
  std::uint32_t immediate = 0;
  bool solicited = false;
};

/// Payload of one packet, placed or to be checked: the remote address it belongs to, and how far into its message it is.
struct PlacedPayload {
  std::uint64_t address = 0;
  std::uint32_t message_offset = 0;
  Segments bytes;
};

struct RequestOutcome {
  std::optional<Reply> reply;
  std::optional<MessageEvent> message;
  std::optional<PlacedPayload> payload;  ///< set when the packet was accepted and carried payload
};

/// The receive half of a queue pair as a hardware NIC behaves (IBA 9.7.4, 9.8.2; the behaviour table of Linux Soft-RoCE is the
/// model): one NAK per gap, duplicates acknowledged again, access errors move the QP to ERR. Sans-I/O, not thread-safe, no
/// allocation per packet.
class Responder {
 public:
  /// `regions` is owned by the caller and outlives the responder.
  Responder(const ResponderConfig& config, const std::vector<MemoryRegion>& regions);

  /// Takes a request addressed to this QP (iCRC right, peer verified), writes its payload to memory.
  RequestOutcome on_request(const ReceivedRequest& request, Time now);

  /// Posts `n` more receive requests (consumed by messages with immediate).
  void post_receives(std::uint64_t n);

  QpState state() const;
  const ResponderCounters& counters() const;
  const ResponderConfig& config() const;
  Psn expected_psn() const;
};

}  // namespace softfeb::roce
