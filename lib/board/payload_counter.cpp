// SPDX-License-Identifier: BSD-3-Clause
#include "board/payload_counter.hpp"

#include "board/packet_crc.hpp"

namespace softfeb::board {

CounterPayload::CounterPayload(std::uint32_t message_length, std::uint32_t pmtu)
    : plan_(MessagePlan::endless(message_length)),
      prepared_{{pmtu}, {last_packet_length(message_length, pmtu)}} {}

CounterPayload::CounterPayload(std::uint32_t longest)
    : plan_(MessagePlan::endless(0)), longest_(longest), prepared_{{4096}, {2048}, {1024}, {512}, {256}} {}

std::size_t CounterPayload::arena_bytes() const { return std::size_t{longest_} + kPeriod; }

void CounterPayload::fill(MutableByteSpan arena) {
  const MutableByteSpan own = checked_arena(arena, arena_bytes());
  for (std::size_t i = 0; i < own.size(); ++i) own[i] = static_cast<std::uint8_t>(i);
  arena_ = own;
  for (Prepared& p : prepared_) {
    for (std::size_t phase = 0; phase < kPeriod; ++phase)
      p.crc[phase] = packet_crc(arena_.subspan(phase, p.length));
  }
}

const std::uint8_t* CounterPayload::bytes(std::uint64_t offset, std::uint32_t length) const {
  if (arena_.empty() || length > longest_) return nullptr;
  return arena_.data() + offset % kPeriod;
}

roce::PacketPayload CounterPayload::packet(std::uint64_t offset, std::uint32_t length) const {
  if (arena_.empty() || length > longest_) return {};
  const std::size_t phase = offset % kPeriod;
  for (const Prepared& p : prepared_) {
    if (length == p.length) return {arena_.data() + phase, p.crc[phase]};
  }
  return {arena_.data() + phase, {}};
}

std::optional<std::uint32_t> CounterPayload::crc(std::uint64_t offset, std::uint32_t length) const {
  const roce::PreparedCrc crc = CounterPayload::packet(offset, length).crc;
  return crc ? std::optional(*crc) : std::nullopt;
}

}  // namespace softfeb::board
