// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/divider.hpp"
#include "base/message_lengths.hpp"

#include <algorithm>
#include <cstdint>

namespace softfeb::roce {

/// Maps packet numbers to positions. A payload stream is split into messages of equal length, and messages
/// into packets. Message n begins at offset n · message_length of the stream.
///
/// A source of finite length is sent again and again; each repetition is a pass. The last message of a pass
/// carries the remaining bytes of the source. It may be short, but still occupies message_length bytes of the
/// stream, so the rule for offsets applies in every pass. If message lengths are random, each message also
/// occupies message_length bytes, where message_length is the largest length.
class MessageLayout {
 public:
  /// Position and size of a packet's payload.
  struct Place {
    std::uint64_t message = 0;         ///< message number, counted over all passes
    std::uint64_t stream_offset = 0;   ///< offset of the packet's first byte in the stream
    std::uint32_t message_offset = 0;  ///< offset of the packet's first byte in its message
    std::uint32_t length = 0;          ///< payload bytes
    std::uint32_t remaining = 0;       ///< bytes from the packet's first byte to the end of its message
    bool last = false;                 ///< whether the packet ends its message
  };

  /// All parameters are in bytes. `message_length` is 0 for messages without payload, `pmtu` is at least 1,
  /// and `source_length` is 0 for an infinite source.
  MessageLayout(std::uint32_t message_length, std::uint32_t pmtu, std::uint64_t source_length = 0);

  /// Layout of messages with random lengths, whose distribution is `lengths`. No length may exceed
  /// `message_length`.
  MessageLayout(const MessageLengths& lengths, std::uint32_t message_length, std::uint32_t pmtu)
      : MessageLayout(message_length, pmtu) {
    lengths_ = lengths;
  }

  /// Returns the place of packet `index`, counted from the initial PSN. If lengths are random, the call takes
  /// time proportional to the number of messages before the packet.
  Place locate(std::uint64_t index) const;
  /// Like locate(), but starts from packet `known_index`, whose place is `known`. If lengths are random, the
  /// call takes time proportional to the number of messages between the two packets.
  Place locate_from(const Place& known, std::uint64_t known_index, std::uint64_t index) const {
    return lengths_ ? walk(known, known_index, index) : locate(index);
  }
  /// Advances `p`, which must not be the last packet of its message, to the next packet. Equivalent to
  /// locate(), but faster.
  void advance(Place& p) const {
    p.stream_offset += p.length;
    p.message_offset += p.length;
    p.remaining -= p.length;
    p.length = std::min(p.remaining, pmtu_);
    p.last = p.remaining <= pmtu_;
  }

  /// Length in bytes of message `message`.
  std::uint32_t length_of(std::uint64_t message) const;

  std::uint64_t messages_per_pass() const { return messages_per_pass_; }  ///< 0 for an infinite source
  /// Number of packets in a pass; 0 for an infinite source.
  std::uint64_t packets_per_pass() const { return source_length_ == 0 ? 0 : per_pass_.divisor(); }
  /// Number of packets in a full-length message.
  std::uint64_t packets_per_message() const { return per_message_.divisor(); }
  std::uint32_t message_length() const { return message_length_; }
  std::uint64_t source_length() const { return source_length_; }

 private:
  Place walk(const Place& known, std::uint64_t known_index, std::uint64_t index) const;

  std::uint32_t message_length_;
  std::uint32_t pmtu_;
  std::uint64_t source_length_;
  Divider per_message_;  ///< divides by the number of packets in a message of full length
  Divider per_pass_;     ///< divides by the number of packets in a pass
  std::uint64_t messages_per_pass_ = 0;
  /// Length of the last message of a pass if it is less than message_length_; otherwise 0.
  std::uint32_t short_length_ = 0;
  MessageLengths lengths_;
};

}  // namespace softfeb::roce
