// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

namespace softfeb::engine {

/// A frame about to leave. The caller gives `header`, room for kHeaderRoom bytes; the engine fills it with
/// everything from Ethernet to the end of the transport headers and says where the payload is. Payload bytes
/// are referred to, never copied and never written; they stay where they are as long as the board lives.
struct TxFrame {
  /// Ethernet 14 + 802.1Q 4 + IPv6 40 + UDP 8 + BTH 12 + RETH 16 + ImmDt 4 = 98; ARP and CNP fit too.
  static constexpr std::size_t kHeaderRoom = 128;

  std::uint8_t* header = nullptr;
  const std::uint8_t* payload = nullptr;
  std::uint32_t payload_length = 0;
  std::uint16_t header_length = 0;
  std::uint8_t trailer_length = 0;
  std::array<std::uint8_t, 8> trailer{};  ///< pad (0–3) and iCRC (4)

  std::uint32_t length() const { return header_length + payload_length + trailer_length; }
};

}  // namespace softfeb::engine
