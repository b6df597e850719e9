// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/packet_crc.hpp"
#include "board/payload.hpp"
#include "board/prbs31.hpp"

namespace softfeb::board {

/// PRBS-31 from a window that repeats: 2^31 − 1 is odd, so whole bytes would repeat only after 2 GiB, too
/// much to hold.
///
/// * Messages that fit into the window: it is rounded down to whole messages. Byte k of the stream is byte
///   k mod window of the sequence, which thus runs on from message to message until it begins again.
/// * Longer messages: the window is rounded down to whole packets, and every message begins with the
///   sequence's first byte and repeats the window inside itself, so that a packet never straddles its end.
class Prbs31Payload final : public PayloadSource {
 public:
  Prbs31Payload(std::uint32_t message_length, std::uint32_t pmtu, std::uint32_t seed, std::uint64_t window);

  std::size_t arena_bytes() const override { return window_.divisor(); }
  void fill(MutableByteSpan arena) override;
  const MessagePlan& plan() const override { return plan_; }
  /// Null where the range leaves the window: packets of the plan's messages never do.
  const std::uint8_t* bytes(std::uint64_t offset, std::uint32_t length) const override;
  std::optional<std::uint32_t> crc(std::uint64_t offset, std::uint32_t length) const override;
  roce::PacketPayload packet(std::uint64_t offset, std::uint32_t length) const override;

 private:
  std::uint64_t position(std::uint64_t offset) const;

  MessagePlan plan_;
  std::uint32_t pmtu_;
  std::uint32_t seed_;
  bool folded_;      ///< messages longer than the window
  Divider message_;  ///< its length, for messages longer than the window
  Divider window_;
  ByteSpan arena_;
  PacketCrcTable crcs_;
  std::uint64_t last_position_ = 0;  ///< of a folded message's last packet, whose length is not in crcs_
  std::uint32_t last_length_ = 0;
  std::uint32_t last_crc_ = 0;
};

}  // namespace softfeb::board
