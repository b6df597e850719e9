// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/payload.hpp"

#include <array>
#include <vector>

namespace softfeb::board {

/// Counter payload: byte k of the stream is k mod 256, and the count continues across messages. The arena
/// holds the longest packet payload plus one period of 256 bytes, so that packet payload is contiguous at any
/// offset. A packet's CRC depends only on its phase (offset mod 256) and its length. Therefore 256 CRCs are
/// precomputed for full packets, and another 256 for the last packet of a message.
class CounterPayload final : public PayloadSource {
 public:
  CounterPayload(std::uint32_t message_length, std::uint32_t pmtu);
  /// Creates a payload for messages of any length and any path MTU. CRCs are precomputed only for full
  /// packets of the five path MTUs. plan() has no meaning and must not be called. `longest` is the longest
  /// packet payload in bytes.
  explicit CounterPayload(std::uint32_t longest = kMaxPacketPayload);

  std::size_t arena_bytes() const override;
  void fill(MutableByteSpan arena) override;
  const MessagePlan& plan() const override { return plan_; }
  const std::uint8_t* bytes(std::uint64_t offset, std::uint32_t length) const override;
  std::optional<std::uint32_t> crc(std::uint64_t offset, std::uint32_t length) const override;
  roce::PacketPayload packet(std::uint64_t offset, std::uint32_t length) const override;

 private:
  static constexpr std::size_t kPeriod = 256;

  /// CRCs of the packets of one length, indexed by phase.
  struct Prepared {
    std::uint32_t length = 0;
    std::array<std::uint32_t, kPeriod> crc{};
  };

  MessagePlan plan_;
  std::uint32_t longest_ = kMaxPacketPayload;
  ByteSpan arena_;
  std::vector<Prepared> prepared_;
};

}  // namespace softfeb::board
