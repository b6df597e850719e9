// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/divider.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::board {

/// Length of the last packet of a message: 1…pmtu, or 0 for an empty message.
constexpr std::uint32_t last_packet_length(std::uint32_t message_length, std::uint32_t pmtu) {
  return message_length == 0 ? 0 : (message_length - 1) % pmtu + 1;
}

/// CRC of a packet's payload and its 0–3 zero pad bytes, as PayloadStream::crc() returns it. roce/icrc.hpp
/// describes the CRC convention.
std::uint32_t packet_crc(ByteSpan payload);

/// CRCs of all packets of consecutive messages, four bytes per packet.
class PacketCrcTable {
 public:
  PacketCrcTable() = default;

  /// `data` contains contiguous messages of `message_length` (> 0) bytes; the last message may be shorter.
  /// Each message is split into packets of `pmtu` bytes from its beginning.
  PacketCrcTable(ByteSpan data, std::uint32_t message_length, std::uint32_t pmtu);

  /// Returns the CRC of the packet at byte `position` of `data`; nullopt if no packet of this length begins
  /// there.
  std::optional<std::uint32_t> find(std::uint64_t position, std::uint32_t length) const;

 private:
  std::uint64_t size_ = 0;
  Divider message_length_;
  Divider pmtu_;
  std::uint32_t packets_per_message_ = 1;
  std::vector<std::uint32_t> crcs_;
};

}  // namespace softfeb::board
