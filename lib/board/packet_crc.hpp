// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/divider.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::board {

/// Length of the last packet of a message: 1…pmtu, 0 only for an empty message.
constexpr std::uint32_t last_packet_length(std::uint32_t message_length, std::uint32_t pmtu) {
  return message_length == 0 ? 0 : (message_length - 1) % pmtu + 1;
}

/// CRC of a packet's payload as PayloadStream::crc() gives it: the bytes, then 0–3 zero pad bytes (convention
/// of roce/icrc.hpp).
std::uint32_t packet_crc(ByteSpan payload);

/// CRCs of all packets of a run of messages: four bytes for each packet.
class PacketCrcTable {
 public:
  PacketCrcTable() = default;

  /// `data` holds messages of `message_length` (> 0) one behind the other, the last may be shorter; each is
  /// cut every `pmtu` bytes from its own beginning.
  PacketCrcTable(ByteSpan data, std::uint32_t message_length, std::uint32_t pmtu);

  /// Of the packet at `position` of `data`; nothing when no packet of this length begins there.
  std::optional<std::uint32_t> find(std::uint64_t position, std::uint32_t length) const;

 private:
  std::uint64_t size_ = 0;
  Divider message_length_;
  Divider pmtu_;
  std::uint32_t packets_per_message_ = 1;
  std::vector<std::uint32_t> crcs_;
};

}  // namespace softfeb::board
