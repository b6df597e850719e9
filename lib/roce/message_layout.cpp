// SPDX-License-Identifier: BSD-3-Clause
#include "roce/message_layout.hpp"

#include <algorithm>

namespace softfeb::roce {

namespace {

std::uint64_t packets_for(std::uint64_t length, std::uint32_t pmtu) {
  return std::max<std::uint64_t>(1, (length + pmtu - 1) / pmtu);
}

}  // namespace

MessageLayout::MessageLayout(std::uint32_t message_length, std::uint32_t pmtu, std::uint64_t source_length)
    : message_length_(message_length),
      pmtu_(std::max(pmtu, 1U)),
      // Messages without payload never reach the end of the source, so treat the source as infinite.
      source_length_(message_length == 0 ? 0 : source_length),
      per_message_(packets_for(message_length, pmtu_)) {
  if (source_length_ == 0) return;
  const std::uint64_t full = source_length_ / message_length_;
  short_length_ = static_cast<std::uint32_t>(source_length_ % message_length_);
  messages_per_pass_ = full + (short_length_ != 0 ? 1 : 0);
  per_pass_ =
      Divider(full * packets_per_message() + (short_length_ != 0 ? packets_for(short_length_, pmtu_) : 0));
}

MessageLayout::Place MessageLayout::locate(std::uint64_t index) const {
  if (lengths_) return walk({}, 0, index);
  Place at;
  if (source_length_ != 0) {
    const std::uint64_t pass = per_pass_.quotient(index);
    at.message = pass * messages_per_pass_;
    index -= pass * per_pass_.divisor();
  }
  // Only the last message of a pass may be short, so a division by the number of packets in a full message
  // gives the correct message number.
  const std::uint64_t in_pass = per_message_.quotient(index);
  at.message += in_pass;
  at.message_offset = static_cast<std::uint32_t>((index - in_pass * per_message_.divisor()) * pmtu_);
  at.stream_offset = at.message * message_length_ + at.message_offset;
  at.remaining = length_of(in_pass) - at.message_offset;
  at.length = std::min(at.remaining, pmtu_);
  at.last = at.remaining <= pmtu_;
  return at;
}

/// Returns the place of packet `index`. Starts from `known`, the place of packet `known_index`. If lengths
/// are random, the number of the first packet of a message is a sum over all messages before it. There is no
/// table of these sums, so this function visits the messages one by one.
MessageLayout::Place MessageLayout::walk(const Place& known, std::uint64_t known_index,
                                         std::uint64_t index) const {
  Place at;
  at.message = known.message;
  std::uint64_t first = known_index - known.message_offset / pmtu_;
  while (index < first) first -= packets_for(lengths_.at(--at.message), pmtu_);
  std::uint32_t length = lengths_.at(at.message);
  for (std::uint64_t n = packets_for(length, pmtu_); index - first >= n; n = packets_for(length, pmtu_)) {
    first += n;
    length = lengths_.at(++at.message);
  }
  at.message_offset = static_cast<std::uint32_t>((index - first) * pmtu_);
  at.stream_offset = at.message * message_length_ + at.message_offset;
  at.remaining = length - at.message_offset;
  at.length = std::min(at.remaining, pmtu_);
  at.last = at.remaining <= pmtu_;
  return at;
}

std::uint32_t MessageLayout::length_of(std::uint64_t message) const {
  if (lengths_) return lengths_.at(message);
  if (short_length_ == 0) return message_length_;
  return message % messages_per_pass_ == messages_per_pass_ - 1 ? short_length_ : message_length_;
}

}  // namespace softfeb::roce
