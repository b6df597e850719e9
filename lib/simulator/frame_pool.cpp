// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/frame_pool.hpp"

#include "roce/path.hpp"

#include <algorithm>
#include <cstring>

namespace softfeb::simulator {

namespace {

/// Copies the bytes to a payload buffer owned by the frame.
void own_payload(PoolFrame& frame, const std::uint8_t* bytes, std::uint32_t length) {
  if (frame.own_size < length) {
    frame.own = std::make_unique<std::uint8_t[]>(length);
    frame.own_size = length;
  }
  std::memcpy(frame.own.get(), bytes, length);
  frame.payload = frame.own.get();
  frame.payload_length = length;
}

/// Makes the first `length` bytes of `whole` the header of the frame, and removes payload and trailer.
void own_whole(PoolFrame& frame, std::uint32_t length) {
  if (frame.whole_size < length) {
    frame.whole = std::make_unique<std::uint8_t[]>(length);
    frame.whole_size = length;
  }
  frame.header = frame.whole.get();
  frame.header_length = static_cast<std::uint16_t>(length);
  frame.payload = nullptr;
  frame.payload_length = 0;
  frame.trailer_length = 0;
  frame.icrc_right = false;
  frame.length = length;
}

bool is_whole(const PoolFrame& frame) { return frame.header == frame.whole.get(); }

bool has_own_payload(const PoolFrame& frame) {
  return frame.payload != nullptr && frame.payload == frame.own.get();
}

}  // namespace

Segments PoolFrame::segments() const {
  Segments s(ByteSpan(header, header_length));
  s.push({payload, payload_length});
  s.push({trailer.data(), trailer_length});
  return s;
}

bool FramePool::grow() {
  if (made_ >= most_) return false;
  auto& block = *blocks_.emplace_back(std::make_unique<std::array<PoolFrame, kBlock>>());
  for (auto frame = block.rbegin(); frame != block.rend(); ++frame) {
    frame->next = first_;
    first_ = &*frame;
  }
  made_ += kBlock;
  free_ += kBlock;
  return true;
}

PoolFrame* FramePool::acquire() {
  if (first_ == nullptr && !grow()) return nullptr;
  auto* const frame = static_cast<PoolFrame*>(first_);
  first_ = frame->next;
  --free_;
  frame->next = nullptr;
  frame->header = frame->room.data();
  frame->payload = nullptr;
  frame->payload_length = 0;
  frame->trailer_length = 0;
  frame->icrc_right = false;
  frame->message = 0;
  return frame;
}

void FramePool::fill(PoolFrame& frame, const engine::TxFrame& out) {
  frame.header_length = out.header_length;
  frame.trailer_length = out.trailer_length;
  frame.trailer = out.trailer;
  if (out.transient_payload) {
    own_payload(frame, out.payload, out.payload_length);
  } else {
    frame.payload = out.payload;
    frame.payload_length = out.payload_length;
  }
  frame.length = out.length();
  frame.icrc_right = out.icrc_right;
  frame.message = out.message;
}

PoolFrame* FramePool::restore(ByteSpan header, ByteSpan payload, bool copies) {
  PoolFrame* const frame = acquire();
  if (frame == nullptr) return nullptr;
  // If a fault rule has changed the frame, `header` contains all bytes of the frame, and may be larger than
  // `room`.
  if (header.size() > frame->room.size()) own_whole(*frame, static_cast<std::uint32_t>(header.size()));
  std::memcpy(frame->header, header.data(), header.size());
  frame->header_length = static_cast<std::uint16_t>(header.size());
  if (payload.empty()) return frame;
  if (copies) {
    own_payload(*frame, payload.data(), static_cast<std::uint32_t>(payload.size()));
  } else {
    frame->payload = payload.data();
    frame->payload_length = static_cast<std::uint32_t>(payload.size());
  }
  return frame;
}

std::string FramePool::full_text() const {
  return "more than " + std::to_string(most_) +
         " frames are in flight at once; limit the boards to their links' rates (link_rate), "
         "or use smaller switch buffers";
}

fabric::Frame* FramePool::make(ByteSpan bytes) {
  PoolFrame* const frame = bytes.size() > engine::TxFrame::kHeaderRoom ? nullptr : acquire();
  if (frame == nullptr) return nullptr;
  std::memcpy(frame->header, bytes.data(), bytes.size());
  frame->header_length = static_cast<std::uint16_t>(bytes.size());
  frame->length = static_cast<std::uint32_t>(bytes.size());
  return frame;
}

fabric::Frame* FramePool::copy(const fabric::Frame& original) {
  const auto& from = static_cast<const PoolFrame&>(original);
  PoolFrame* const to = acquire();
  if (to == nullptr) return nullptr;
  if (is_whole(from)) {
    own_whole(*to, from.length);
    std::memcpy(to->header, from.header, from.length);
    return to;
  }
  std::memcpy(to->header, from.header, from.header_length);
  to->header_length = from.header_length;
  to->length = from.length;
  to->trailer = from.trailer;
  to->trailer_length = from.trailer_length;
  to->icrc_right = from.icrc_right;
  if (has_own_payload(from)) {
    own_payload(*to, from.payload, from.payload_length);
  } else {
    to->payload = from.payload;
    to->payload_length = from.payload_length;
  }
  return to;
}

bool FramePool::corrupt(fabric::Frame& shared, std::uint64_t random) {
  auto& frame = static_cast<PoolFrame&>(shared);
  if (frame.length <= roce::kEthernetSize) return false;
  frame.icrc_right = false;
  const std::uint64_t bits = std::uint64_t{frame.length - roce::kEthernetSize} * 8;
  const std::uint64_t bit = random % bits;
  std::uint64_t at = roce::kEthernetSize + bit / 8;
  const auto mask = static_cast<std::uint8_t>(1U << (bit % 8));
  if (at < frame.header_length) {
    frame.header[at] ^= mask;
    return true;
  }
  at -= frame.header_length;
  if (at >= frame.payload_length) {
    frame.trailer[at - frame.payload_length] ^= mask;
    return true;
  }
  if (!has_own_payload(frame)) own_payload(frame, frame.payload, frame.payload_length);
  frame.own[at] ^= mask;
  return true;
}

MutableByteSpan FramePool::writable(fabric::Frame& shared) {
  auto& frame = static_cast<PoolFrame&>(shared);
  if (frame.length > UINT16_MAX) return {};
  frame.icrc_right = false;
  if (!is_whole(frame)) {
    const Segments pieces = frame.segments();
    own_whole(frame, frame.length);
    pieces.copy(0, pieces.size(), frame.header);
  }
  return {frame.header, frame.length};
}

void FramePool::shorten(fabric::Frame& frame, std::uint32_t length) {
  own_whole(static_cast<PoolFrame&>(frame), length);
}

void FramePool::release(fabric::Frame* frame) {
  frame->next = first_;
  first_ = frame;
  ++free_;
}

}  // namespace softfeb::simulator
