// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/divider.hpp"

#include <algorithm>
#include <cstdint>

namespace softfeb::roce {

/// How a payload stream is cut into messages of one length and these into packets, so that the number of a
/// packet says what it carries. Message n begins at n · message_length of the stream. A source that ends is
/// sent in passes; the last message of a pass is as short as what remains and still takes a whole slot of the
/// stream, so that the rule holds in every pass.
class MessageLayout {
 public:
  /// What a packet carries.
  struct Place {
    std::uint64_t message = 0;         ///< number since the beginning, over all passes
    std::uint64_t stream_offset = 0;   ///< of the packet's first byte
    std::uint32_t message_offset = 0;  ///< of the packet's first byte, within its message
    std::uint32_t length = 0;          ///< payload bytes
    std::uint32_t remaining = 0;       ///< bytes of its message from its first one on
    bool last = false;                 ///< ends its message
  };

  /// `message_length` in bytes, 0 for messages without payload; `pmtu` at least 1; `source_length` in bytes,
  /// 0 for a source without end.
  MessageLayout(std::uint32_t message_length, std::uint32_t pmtu, std::uint64_t source_length = 0);

  /// Of the packet `index` since the initial PSN.
  Place locate(std::uint64_t index) const;
  /// To the packet behind `p`, which is not the last of its message: as locate(), for less.
  void advance(Place& p) const {
    p.stream_offset += p.length;
    p.message_offset += p.length;
    p.remaining -= p.length;
    p.length = std::min(p.remaining, pmtu_);
    p.last = p.remaining <= pmtu_;
  }

  /// Length of message `message`.
  std::uint32_t length_of(std::uint64_t message) const;

  std::uint64_t messages_per_pass() const { return messages_per_pass_; }  ///< 0 for a source without end
  std::uint64_t packets_per_pass() const {
    return source_length_ == 0 ? 0 : per_pass_.divisor();
  }  ///< 0 for a source without end
  std::uint64_t packets_per_message() const { return per_message_.divisor(); }  ///< of a full one
  std::uint32_t message_length() const { return message_length_; }
  std::uint64_t source_length() const { return source_length_; }

 private:
  std::uint32_t message_length_;
  std::uint32_t pmtu_;
  std::uint64_t source_length_;
  Divider per_message_;  ///< packets of a full message
  Divider per_pass_;     ///< packets of a pass
  std::uint64_t messages_per_pass_ = 0;
  std::uint32_t short_length_ = 0;  ///< of the last message of a pass where it is shorter, else 0
};

}  // namespace softfeb::roce
