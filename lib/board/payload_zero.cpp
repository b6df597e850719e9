// SPDX-License-Identifier: BSD-3-Clause
#include "board/payload_zero.hpp"

#include "roce/icrc.hpp"

#include <algorithm>

namespace softfeb::board {

ZeroPayload::ZeroPayload(std::uint32_t message_length) : plan_(MessagePlan::endless(message_length)) {}

void ZeroPayload::fill(MutableByteSpan arena) {
  const MutableByteSpan own = checked_arena(arena, arena_bytes());
  std::fill(own.begin(), own.end(), std::uint8_t{0});
  arena_ = own;
  for (std::size_t i = 1; i < crc_of_words_.size(); ++i) {
    crc_of_words_[i] = roce::crc32(crc_of_words_[i - 1], arena_.first(4));
  }
}

const std::uint8_t* ZeroPayload::bytes(std::uint64_t /*offset*/, std::uint32_t length) const {
  return arena_.empty() || length > kMaxPacketPayload ? nullptr : arena_.data();
}

std::optional<std::uint32_t> ZeroPayload::crc(std::uint64_t /*offset*/, std::uint32_t length) const {
  if (arena_.empty() || length > kMaxPacketPayload) return std::nullopt;
  return crc_of_words_[(length + 3) / 4];
}

roce::PacketPayload ZeroPayload::packet(std::uint64_t offset, std::uint32_t length) const {
  return {ZeroPayload::bytes(offset, length), ZeroPayload::crc(offset, length)};
}

}  // namespace softfeb::board
