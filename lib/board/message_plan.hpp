// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstdint>

namespace softfeb::board {

/// Position of one message in its payload stream.
struct MessageSlice {
  std::uint64_t offset = 0;  ///< bytes from the beginning of the stream
  std::uint32_t length = 0;  ///< length of the message in bytes

  bool operator==(const MessageSlice&) const = default;
};

/// Maps a message number to its position in the payload stream. Message n begins at n · message_length.
///
/// A finite source (a file) is sent in passes of messages_per_pass() messages. The last message of a pass may
/// be shorter, but still occupies message_length bytes of the stream. Every pass therefore occupies the same
/// number of stream bytes, and no message crosses the end of the source.
class MessagePlan {
 public:
  /// Plan for an endless source. Every message has the same length, which may be 0.
  static constexpr MessagePlan endless(std::uint32_t message_length) {
    return MessagePlan(message_length, 0, message_length);
  }

  /// Plan for a source of `total_bytes` bytes (> 0), split into messages of `message_length` bytes (> 0).
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
  /// Number of messages that send the whole source once; 0 for an endless source.
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
