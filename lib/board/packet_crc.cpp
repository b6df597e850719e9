// SPDX-License-Identifier: BSD-3-Clause
#include "board/packet_crc.hpp"

#include "roce/icrc.hpp"

#include <algorithm>
#include <array>

namespace softfeb::board {

std::uint32_t packet_crc(ByteSpan payload) {
  static constexpr std::array<std::uint8_t, 3> kPad{};
  return roce::crc32(roce::crc32(0, payload), ByteSpan(kPad).first(-payload.size() & 3U));
}

PacketCrcTable::PacketCrcTable(ByteSpan data, std::uint32_t message_length, std::uint32_t pmtu)
    : size_(data.size()),
      message_length_(message_length),
      pmtu_(pmtu),
      packets_per_message_((message_length - 1) / pmtu + 1) {
  crcs_.reserve(size_ / message_length * packets_per_message_ + (size_ % message_length + pmtu - 1) / pmtu);
  for (std::uint64_t begin = 0; begin < size_; begin += message_length) {
    const std::uint64_t end = std::min<std::uint64_t>(begin + message_length, size_);
    for (std::uint64_t at = begin; at < end; at += pmtu) {
      crcs_.push_back(packet_crc(data.subspan(at, std::min<std::uint64_t>(pmtu, end - at))));
    }
  }
}

std::optional<std::uint32_t> PacketCrcTable::find(std::uint64_t position, std::uint32_t length) const {
  if (position >= size_) return std::nullopt;
  const std::uint64_t message = message_length_.quotient(position);
  const std::uint64_t begin = message * message_length_.divisor();
  const std::uint64_t packet = pmtu_.quotient(position - begin);
  const std::uint64_t end = std::min(begin + message_length_.divisor(), size_);
  const bool starts = begin + packet * pmtu_.divisor() == position;
  if (!starts || length != std::min(pmtu_.divisor(), end - position)) return std::nullopt;
  return crcs_[message * packets_per_message_ + packet];
}

}  // namespace softfeb::board
