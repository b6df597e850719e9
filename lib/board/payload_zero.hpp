// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/payload.hpp"

#include <array>

namespace softfeb::board {

/// All zeros. One packet serves every offset, and the CRC depends only on the padded length.
class ZeroPayload final : public PayloadSource {
 public:
  explicit ZeroPayload(std::uint32_t message_length);

  std::size_t arena_bytes() const override { return kMaxPacketPayload; }
  void fill(MutableByteSpan arena) override;
  const MessagePlan& plan() const override { return plan_; }
  const std::uint8_t* bytes(std::uint64_t offset, std::uint32_t length) const override;
  std::optional<std::uint32_t> crc(std::uint64_t offset, std::uint32_t length) const override;
  roce::PacketPayload packet(std::uint64_t offset, std::uint32_t length) const override;

 private:
  MessagePlan plan_;
  ByteSpan arena_;
  std::array<std::uint32_t, kMaxPacketPayload / 4 + 1> crc_of_words_{};  ///< index: padded length / 4
};

}  // namespace softfeb::board
