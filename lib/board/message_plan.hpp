// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstdint>

namespace softfeb::board {

/// Where one message lies in its payload stream.
struct MessageSlice {
  std::uint64_t offset = 0;  ///< of its first byte, in the stream
  std::uint32_t length = 0;  ///< bytes

  bool operator==(const MessageSlice&) const = default;
};

/// Message number → place in the payload stream. Message n begins at n · message_length. A source that ends
/// (a file) is sent in passes of messages_per_pass() messages, of which the last may be shorter; it still
/// takes a whole slot of the stream, so that the rule holds in every pass and no message straddles the end.
class MessagePlan {
 public:
  /// A source without an end: every message has the same length (0 is legal).
  static constexpr MessagePlan endless(std::uint32_t message_length) {
    return MessagePlan(message_length, 0, message_length);
  }

  /// A source of `total_bytes` (> 0), cut into messages of `message_length` (> 0).
  static constexpr MessagePlan of(std::uint64_t total_bytes, std::uint32_t message_length) {
    const std::uint64_t messages = (total_bytes - 1) / message_length + 1;
    return MessagePlan(message_length, messages,
                       static_cast<std::uint32_t>(total_bytes - (messages - 1) * message_length));
  }

  constexpr MessageSlice at(std::uint64_t n) const {
    const bool last = messages_per_pass_ != 0 && n % messages_per_pass_ == messages_per_pass_ - 1;
    return {n * message_length_, last ? last_length_ : message_length_};
  }

  auto operator<=>(const MessagePlan&) const = default;

  constexpr std::uint32_t message_length() const { return message_length_; }
  /// 0 when the source has no end. Sending exactly this many messages sends a file once.
  constexpr std::uint64_t messages_per_pass() const { return messages_per_pass_; }
  /// Length of the last message of a pass.
  constexpr std::uint32_t last_length() const { return last_length_; }

 private:
  constexpr MessagePlan(std::uint32_t message_length, std::uint64_t messages_per_pass,
                        std::uint32_t last_length)
      : message_length_(message_length), last_length_(last_length), messages_per_pass_(messages_per_pass) {}

  std::uint32_t message_length_;
  std::uint32_t last_length_;
  std::uint64_t messages_per_pass_;
};

}  // namespace softfeb::board
