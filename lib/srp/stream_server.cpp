// SPDX-License-Identifier: BSD-3-Clause
#include "srp/stream.hpp"

#include <utility>

namespace softfeb::srp {

StreamServer::StreamServer(FrameSource& source, FrameHandler received, std::size_t max_frame)
    : source_(source), handler_(std::move(received)), receiver_(max_frame) {}

void StreamServer::on_open(Time now) {
  packetizer_.reset();
  receiver_.reset();
  segment_.resize(link_->max_payload());
  pump(now);
}

void StreamServer::on_close(RssiClose, Time now) {
  packetizer_.reset();
  receiver_.reset();
  if (std::exchange(in_frame_, false)) source_.abandon(now);
}

bool StreamServer::on_segment(ByteSpan payload, Time now) {
  if (receiver_.push(payload) != Depacketizer::Result::kFrame) return true;
  ++received_.frames;
  received_.bytes += receiver_.frame().size();
  if (handler_) handler_(receiver_.frame(), receiver_.tags(), now);
  return true;
}

void StreamServer::pump(Time now) {
  if (pumping_ || link_ == nullptr) return;
  pumping_ = true;
  while (link_->room() > 0 && source_.ready(now) && send_part(now)) {
  }
  pumping_ = false;
}

/// Builds one segment in place and sends it.
bool StreamServer::send_part(Time now) {
  const std::size_t room = Packetizer::payload_room(segment_.size());
  if (room == 0) return false;
  const FrameSource::Part part =
      source_.fill(MutableByteSpan(segment_).subspan(Packetizer::kHeader, room), now);
  const std::size_t size = packetizer_.seal(segment_, part.bytes, part.last);
  if (size == 0) return false;
  in_frame_ = !part.last;
  sent_.bytes += part.bytes;
  if (part.last) ++sent_.frames;
  return link_->send(ByteSpan(segment_).first(size), now);
}

}  // namespace softfeb::srp
