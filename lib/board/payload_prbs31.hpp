// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/packet_crc.hpp"
#include "board/payload.hpp"

#include <cstdint>

namespace softfeb::board {

/// Pseudo-random binary sequence of period 2^31 − 1, polynomial x^31 + x^28 + 1 (ITU-T O.150, section 5.8):
/// bit n = bit n−28 XOR bit n−31, not inverted. Bits fill a byte from the least significant end, which is
/// Ethernet's transmission order.
class Prbs31 {
 public:
  static constexpr std::uint32_t kMask = 0x7fff'ffff;

  /// `seed` contains the 31 bits that precede the sequence; bit 0 is the oldest. `seed` must not be 0,
  /// because the sequence would then be all zeros.
  explicit constexpr Prbs31(std::uint32_t seed) : history_(seed & kMask) {}

  /// Returns the next 24 bits of the sequence; bit 0 of the result is the first. Up to 28 bits could be
  /// computed in one step, because bit n depends on bit n−28.
  constexpr std::uint32_t next24() {
    const std::uint32_t bits = (history_ ^ (history_ >> 3)) & 0xff'ffff;
    history_ = (history_ >> 24) | (bits << 7);
    return bits;
  }

  void fill(MutableByteSpan out);

 private:
  std::uint32_t history_;  ///< the last 31 bits; bit 0 is the oldest
};

/// Payload that repeats a window of PRBS-31. The sequence itself is too long to be stored: its period has an
/// odd number of bits, so its bytes repeat only after eight periods, which are 2 GiB.
///
/// * If messages are not longer than the window, the window is rounded down to whole messages, or is one
///   packet long if messages are empty. Byte k of the stream is byte k mod window of the sequence, which
///   continues across messages.
/// * If messages are longer, the window is rounded down to whole packets. Every message starts at the first
///   byte of the sequence and repeats the window, so that no packet crosses the end of the window.
class Prbs31Payload final : public PayloadSource {
 public:
  Prbs31Payload(std::uint32_t message_length, std::uint32_t pmtu, std::uint32_t seed, std::uint64_t window);

  std::size_t arena_bytes() const override { return window_.divisor(); }
  void fill(MutableByteSpan arena) override;
  const MessagePlan& plan() const override { return plan_; }
  /// Returns null if the range crosses the end of the window. The range of a packet of the plan's messages
  /// never crosses it.
  const std::uint8_t* bytes(std::uint64_t offset, std::uint32_t length) const override;
  std::optional<std::uint32_t> crc(std::uint64_t offset, std::uint32_t length) const override;
  roce::PacketPayload packet(std::uint64_t offset, std::uint32_t length) const override;

 private:
  std::uint64_t position(std::uint64_t offset) const;

  MessagePlan plan_;
  std::uint32_t pmtu_;
  std::uint32_t seed_;
  bool folded_;      ///< true if messages are longer than the window
  Divider message_;  ///< divides by the message length; used if folded_
  Divider window_;
  ByteSpan arena_;
  PacketCrcTable crcs_;
  /// Position, length and CRC of the last packet of a message, for which crcs_ may have no CRC. Used if
  /// folded_.
  std::uint64_t last_position_ = 0;
  std::uint32_t last_length_ = 0;
  std::uint32_t last_crc_ = 0;
};

}  // namespace softfeb::board
