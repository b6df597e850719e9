// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rng.hpp"
#include "roce/packet.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::test {

/// Returns the byte at `offset` of a pseudorandom payload. The payload does not repeat within a test.
inline std::uint8_t stream_byte(std::uint64_t offset) {
  std::uint64_t z = offset * 0x9e37'79b9'7f4a'7c15U;
  z ^= z >> 29;
  return static_cast<std::uint8_t>(z ^ (z >> 40));
}

/// A minimal RC receiver (IBA 9.7.4–9.7.5). It shares no code with the responder of lib/roce, so that a
/// mistake in one is not repeated in the other. It expects consecutive PSNs, sends one NAK per gap,
/// acknowledges duplicates again, and occasionally sends an RNR NAK. Its memory is an array that begins at
/// address 0. It counts SENDs, but does not store them.
class ModelReceiver {
 public:
  struct Message {
    std::uint64_t address = 0;
    std::uint32_t length = 0;
    std::optional<std::uint32_t> immediate;
  };
  struct Answer {
    roce::Aeth aeth;
    roce::Psn psn = 0;
  };

  ModelReceiver(roce::Psn first, std::size_t memory, std::uint64_t rnr_chance, std::uint64_t seed)
      : memory_(memory), expected_(first), rnr_chance_(rnr_chance), rng_(seed) {}

  std::optional<Answer> receive(const roce::RequestPacket& p) {
    using namespace roce;
    const std::int32_t ahead = psn_diff(p.psn, expected_);
    if (ahead < 0) return Answer{Aeth{Aeth::ack(), msn_}, psn_add(expected_, kPsnMask)};
    if (ahead > 0) {
      if (nak_sent_) return std::nullopt;
      nak_sent_ = true;
      return Answer{Aeth{Aeth::nak(AethKind::kNakSequence), msn_}, expected_};
    }
    if (ends_message(opcode_operation(p.opcode)) && rng_.chance(rnr_chance_)) {
      return Answer{Aeth{Aeth::rnr(1), msn_}, expected_};
    }
    take(p);
    if (!p.ack_req) return std::nullopt;
    return Answer{Aeth{Aeth::ack(), msn_}, p.psn};
  }

  const std::vector<Message>& messages() const { return messages_; }
  const std::vector<std::uint8_t>& memory() const { return memory_; }
  /// Number of packets that a correct requester never sends, because their opcode or size is wrong.
  std::uint64_t violations() const { return violations_; }

 private:
  void take(const roce::RequestPacket& p) {
    using namespace roce;
    const Operation op = opcode_operation(p.opcode);
    nak_sent_ = false;
    expected_ = psn_add(expected_, 1);
    if (begins_message(op) == open_) ++violations_;
    if (begins_message(op)) {
      current_ = Message{p.reth.virtual_address, p.reth.dma_length, std::nullopt};
      done_ = 0;
    }
    open_ = !ends_message(op);
    for (std::uint32_t i = 0; i < p.payload_length; ++i) {
      memory_.at(current_.address + done_ + i) = stream_byte(p.payload_offset + i);
    }
    done_ += p.payload_length;
    if (open_) return;
    if (done_ != current_.length) ++violations_;
    if (has_immediate(op)) current_.immediate = p.immediate;
    messages_.push_back(current_);
    msn_ = (msn_ + 1) & kPsnMask;
  }

  std::vector<std::uint8_t> memory_;
  std::vector<Message> messages_;
  Message current_;
  std::uint32_t done_ = 0;
  bool open_ = false;
  roce::Psn expected_;
  std::uint32_t msn_ = 0;
  bool nak_sent_ = false;
  std::uint64_t rnr_chance_;
  std::uint64_t violations_ = 0;
  Rng rng_;
};

}  // namespace softfeb::test
