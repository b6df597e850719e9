// SPDX-License-Identifier: BSD-3-Clause
#include "detector/counter_payload.hpp"

#include "roce/icrc.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace softfeb::detector {

namespace {

const FragmentSizes& checked_sizes(const FragmentSizes& s) {
  if (s.min > s.max) throw std::invalid_argument("a counter payload's min must not exceed its max");
  return s;
}

std::uint8_t first_byte(std::uint64_t event, std::uint32_t board, std::uint32_t offset) {
  return static_cast<std::uint8_t>(event + board + offset);
}

}  // namespace

CounterPayload::CounterPayload(const FragmentSizes& sizes, std::uint32_t piece, std::uint32_t largest)
    : EventPayload({.kind = PayloadKind::kCounter, .piece = piece, .largest = largest}),
      sizes_(checked_sizes(sizes)),
      own_(std::size_t{std::min(sizes.max, largest)} + kPeriod) {
  for (std::size_t i = 0; i < own_.size(); ++i) own_[i] = static_cast<std::uint8_t>(i);
  bytes_ = own_;
  const std::uint32_t longest = std::min(sizes.max, largest);
  if (longest >= piece) prepare(piece);
  if (sizes.shape == FragmentSizes::Shape::kFixed && longest % piece != 0) prepare(longest % piece);
}

void CounterPayload::prepare(std::uint32_t length) {
  Prepared& p = prepared_.emplace_back();
  p.length = length;
  for (std::size_t first = 0; first < kPeriod; ++first)
    p.crc[first] = roce::crc32(0, bytes_.subspan(first, length));
}

void CounterPayload::move_to(MutableByteSpan memory) {
  if (memory.size() < bytes_.size()) throw std::invalid_argument("too little memory for a counter payload");
  std::memcpy(memory.data(), bytes_.data(), bytes_.size());
  bytes_ = memory.first(bytes_.size());
  own_ = {};
}

const std::uint8_t* CounterPayload::bytes(std::uint64_t event, std::uint32_t board, std::uint32_t offset,
                                          std::uint32_t length) const {
  if (std::uint64_t{offset} + length > bytes_.size() - kPeriod) return nullptr;
  return bytes_.data() + first_byte(event, board, offset);
}

std::uint32_t CounterPayload::crc(std::uint64_t event, std::uint32_t board, std::uint32_t offset,
                                  std::uint32_t length) const {
  for (const Prepared& p : prepared_) {
    if (length == p.length) return p.crc[first_byte(event, board, offset)];
  }
  return EventPayload::crc(event, board, offset, length);
}

}  // namespace softfeb::detector
