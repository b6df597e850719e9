// SPDX-License-Identifier: BSD-3-Clause
#include "srp/frame_sender.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::srp {

void FrameSender::push(ByteSpan frame, const RssiLink& link) {
  const std::size_t room = Packetizer::payload_room(link.max_payload());
  if (room == 0) return;
  while (!frame.empty()) {
    const ByteSpan part = frame.first(std::min(room, frame.size()));
    frame = frame.subspan(part.size());
    std::vector<std::uint8_t> segment(Packetizer::kHeader + (part.size() + 7) / 8 * 8 + Packetizer::kTail);
    packetizer_.write(segment, part, frame.empty());
    bytes_ += segment.size();
    segments_.push_back(std::move(segment));
  }
}

void FrameSender::flush(RssiLink& link, Time now) {
  if (flushing_) return;  // reentrant call from send(): the outer call sends all segments
  flushing_ = true;
  while (!segments_.empty() && link.room() > 0) {
    // Remove the segment from the queue first, because the link may close from inside send().
    const std::vector<std::uint8_t> segment = std::move(segments_.front());
    segments_.pop_front();
    bytes_ -= segment.size();
    link.send(segment, now);
  }
  flushing_ = false;
}

void FrameSender::reset() {
  packetizer_.reset();
  segments_.clear();
  bytes_ = 0;
}

}  // namespace softfeb::srp
