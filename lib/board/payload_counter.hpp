// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/payload.hpp"

#include <array>
#include <vector>

namespace softfeb::board {

/// Byte k of the stream is k mod 256, continuing across messages. The arena is the largest path MTU plus one
/// period, so that a packet at any offset is contiguous. The CRC depends only on the phase (offset mod 256)
/// and the length: there are 256 values for full packets and 256 for the last packet of a message.
class CounterPayload final : public PayloadSource {
 public:
  CounterPayload(std::uint32_t message_length, std::uint32_t pmtu);
  /// For messages of any length and any path MTU: precomputes the CRCs of full packets for each path MTU. The
  /// result of plan() is meaningless.
  CounterPayload();

  std::size_t arena_bytes() const override;
  void fill(MutableByteSpan arena) override;
  const MessagePlan& plan() const override { return plan_; }
  const std::uint8_t* bytes(std::uint64_t offset, std::uint32_t length) const override;
  std::optional<std::uint32_t> crc(std::uint64_t offset, std::uint32_t length) const override;
  roce::PacketPayload packet(std::uint64_t offset, std::uint32_t length) const override;

 private:
  static constexpr std::size_t kPeriod = 256;

  /// CRCs of packets of one length, by phase.
  struct Prepared {
    std::uint32_t length = 0;
    std::array<std::uint32_t, kPeriod> crc{};
  };

  MessagePlan plan_;
  ByteSpan arena_;
  std::vector<Prepared> prepared_;
};

}  // namespace softfeb::board
