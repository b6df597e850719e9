// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "latency/stamps.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace softfeb::engine {

/// A frame to be sent. The caller provides `header` with room for kHeaderRoom bytes. The engine writes all
/// headers to it, from Ethernet through transport, and sets the location of the payload, which it does not
/// copy. The payload of a busy message follows the headers in `header`.
struct TxFrame {
  /// Size of the longest headers: Ethernet 14 + 802.1Q 4 + IPv6 40 + UDP 8 + congestion control header 64 +
  /// BTH 12 + RETH 16 + ImmDt 4. ARP packets and CNPs also fit.
  static constexpr std::size_t kHeaderRoom = 162;

  std::uint8_t* header = nullptr;
  const std::uint8_t* payload = nullptr;
  std::uint32_t payload_length = 0;
  std::uint16_t header_length = 0;
  std::uint8_t trailer_length = 0;
  /// If true, the payload is in a temporary buffer (ICMP reply, event header) and must be copied before the
  /// next call to the engine. If false, the payload is in an arena that outlives the frame, and may be
  /// attached to the packet without a copy.
  bool transient_payload = false;
  /// True if the trailer is known to end with the correct iCRC for the headers and the payload of this frame.
  bool icrc_right = false;
  /// Pad (0–3 bytes) and iCRC (4 bytes). In a datagram of the traffic generator, the trailer contains the
  /// last payload bytes instead.
  std::array<std::uint8_t, 8> trailer{};
  /// Key of the message whose last packet this frame is, if the time at which the frame is sent must be
  /// reported; otherwise 0.
  latency::MessageKey message = 0;

  std::uint32_t length() const { return header_length + payload_length + trailer_length; }
};

}  // namespace softfeb::engine
