// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace softfeb::engine {

/// A frame about to leave. The caller gives `header`, room for kHeaderRoom bytes; the engine fills it with
/// everything from Ethernet to the end of the transport headers and says where the payload is. The engine
/// never writes payload bytes.
struct TxFrame {
  /// Ethernet 14 + 802.1Q 4 + IPv6 40 + UDP 8 + BTH 12 + RETH 16 + ImmDt 4 = 98; ARP and CNP fit too.
  static constexpr std::size_t kHeaderRoom = 128;

  std::uint8_t* header = nullptr;
  const std::uint8_t* payload = nullptr;
  std::uint32_t payload_length = 0;
  std::uint16_t header_length = 0;
  std::uint8_t trailer_length = 0;
  /// The payload must be copied before the engine is called again (an ICMP answer's buffer). Otherwise it
  /// lies in a payload arena that outlives the frame and may be attached as it is.
  bool transient_payload = false;
  std::array<std::uint8_t, 8> trailer{};  ///< pad (0–3) and iCRC (4)

  std::uint32_t length() const { return header_length + payload_length + trailer_length; }
};

}  // namespace softfeb::engine
