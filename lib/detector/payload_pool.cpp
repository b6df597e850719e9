// SPDX-License-Identifier: BSD-3-Clause
#include "detector/payload_pool.hpp"

#include "roce/icrc.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace softfeb::detector {

PayloadPool::PayloadPool(const Shape& shape, std::uint32_t images, Boards boards, Order order,
                         const Draw& draw)
    : EventPayload(shape), images_(images), boards_(boards), order_(order) {
  if (images == 0 || boards.count == 0 || shape.piece == 0)
    throw std::invalid_argument("a payload pool needs an image, a board and a piece");
  entries_.reserve(std::size_t{images} * boards.count);
  for (std::uint32_t image = 0; image < images; ++image) {
    for (std::uint32_t b = 0; b < boards.count; ++b) {
      const std::size_t at = own_.size();
      draw(image, boards.first + b, own_);
      entries_.push_back({at, static_cast<std::uint32_t>(own_.size() - at), 0});
    }
    if (image == 0) own_.reserve(own_.size() * images + own_.size() / 4);
  }
  own_.shrink_to_fit();
  bytes_ = own_;
  for (Entry& entry : entries_) prepare(entry);
}

void PayloadPool::prepare(Entry& entry) {
  entry.crcs = static_cast<std::uint32_t>(crcs_.size());
  const std::uint32_t total = std::min(entry.size, shape().largest);
  for (std::uint64_t offset = 0; offset < total; offset += shape().piece) {
    const std::uint64_t length = std::min<std::uint64_t>(shape().piece, total - offset);
    crcs_.push_back(roce::crc32(0, bytes_.subspan(entry.at + offset, length)));
  }
}

void PayloadPool::move_to(MutableByteSpan memory) {
  if (memory.size() < bytes_.size()) throw std::invalid_argument("too little memory for a payload pool");
  if (!bytes_.empty()) std::memcpy(memory.data(), bytes_.data(), bytes_.size());
  bytes_ = memory.first(bytes_.size());
  own_ = {};
}

std::uint32_t PayloadPool::image_of(std::uint64_t event) const {
  if (order_ == Order::kInOrder) return static_cast<std::uint32_t>(event % images_);
  return static_cast<std::uint32_t>(event * 0x9e37'79b1U) % images_;
}

const PayloadPool::Entry* PayloadPool::find(std::uint64_t event, std::uint32_t board) const {
  if (board < boards_.first || board - boards_.first >= boards_.count) return nullptr;
  return &entries_[std::size_t{image_of(event)} * boards_.count + (board - boards_.first)];
}

std::uint32_t PayloadPool::size(std::uint64_t event, std::uint32_t board) const {
  const Entry* const entry = find(event, board);
  return entry == nullptr ? 0 : entry->size;
}

const std::uint8_t* PayloadPool::bytes(std::uint64_t event, std::uint32_t board, std::uint32_t offset,
                                       std::uint32_t length) const {
  const Entry* const entry = find(event, board);
  if (entry == nullptr || std::uint64_t{offset} + length > entry->size) return nullptr;
  return bytes_.data() + entry->at + offset;
}

std::uint32_t PayloadPool::crc(std::uint64_t event, std::uint32_t board, std::uint32_t offset,
                               std::uint32_t length) const {
  const Entry* const entry = find(event, board);
  if (entry == nullptr || length == 0) return 0;
  const std::uint32_t total = std::min(entry->size, shape().largest);
  const std::uint32_t piece = shape().piece;
  if (offset < total && offset % piece == 0 && length == std::min(piece, total - offset))
    return crcs_[entry->crcs + offset / piece];
  return EventPayload::crc(event, board, offset, length);
}

}  // namespace softfeb::detector
