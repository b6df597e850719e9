// SPDX-License-Identifier: BSD-3-Clause
#include "board/payload_prbs31.hpp"

namespace softfeb::board {
namespace {

std::uint64_t remainder(std::uint64_t n, const Divider& by) { return n - by.quotient(n) * by.divisor(); }

std::uint64_t rounded_window(std::uint64_t window, std::uint32_t message_length, std::uint32_t pmtu) {
  if (message_length == 0) return pmtu;
  const std::uint64_t unit = message_length > window ? pmtu : message_length;
  return window / unit * unit;
}

}  // namespace

Prbs31Payload::Prbs31Payload(std::uint32_t message_length, std::uint32_t pmtu, std::uint32_t seed,
                             std::uint64_t window)
    : plan_(MessagePlan::endless(message_length)),
      pmtu_(pmtu),
      seed_(seed),
      folded_(message_length > window),
      message_(message_length == 0 ? 1 : message_length),
      window_(rounded_window(window, message_length, pmtu)) {}

void Prbs31Payload::fill(MutableByteSpan arena) {
  const MutableByteSpan own = checked_arena(arena, window_.divisor());
  Prbs31(seed_).fill(own);
  arena_ = own;
  const std::uint32_t length = plan_.message_length();
  crcs_ = PacketCrcTable(arena_, folded_ || length == 0 ? pmtu_ : length, pmtu_);
  if (!folded_) return;
  last_length_ = last_packet_length(length, pmtu_);
  last_position_ = remainder(length - last_length_, window_);
  last_crc_ = packet_crc(arena_.subspan(last_position_, last_length_));
}

std::uint64_t Prbs31Payload::position(std::uint64_t offset) const {
  return remainder(folded_ ? remainder(offset, message_) : offset, window_);
}

const std::uint8_t* Prbs31Payload::bytes(std::uint64_t offset, std::uint32_t length) const {
  const std::uint64_t at = position(offset);
  if (arena_.empty() || length > window_.divisor() - at) return nullptr;
  return arena_.data() + at;
}

std::optional<std::uint32_t> Prbs31Payload::crc(std::uint64_t offset, std::uint32_t length) const {
  if (arena_.empty()) return std::nullopt;
  if (length == 0) return 0;
  const std::uint64_t at = position(offset);
  if (folded_ && length == last_length_ && at == last_position_) return last_crc_;
  return crcs_.find(at, length);
}

roce::PacketPayload Prbs31Payload::packet(std::uint64_t offset, std::uint32_t length) const {
  return {Prbs31Payload::bytes(offset, length), Prbs31Payload::crc(offset, length)};
}

void Prbs31::fill(MutableByteSpan out) {
  for (std::size_t i = 0; i < out.size(); i += 3) {
    std::uint32_t bits = next24();
    for (std::size_t k = i; k < i + 3 && k < out.size(); ++k) {
      out[k] = static_cast<std::uint8_t>(bits);
      bits >>= 8;
    }
  }
}

}  // namespace softfeb::board
