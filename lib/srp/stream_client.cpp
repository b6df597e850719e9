// SPDX-License-Identifier: BSD-3-Clause
#include "srp/stream.hpp"

#include <utility>

namespace softfeb::srp {

StreamClient::StreamClient(FrameHandler received, std::size_t max_frame)
    : handler_(std::move(received)), receiver_(max_frame) {}

void StreamClient::notify(Notice opened, std::function<void(RssiClose, Time)> closed) {
  opened_ = std::move(opened);
  closed_ = std::move(closed);
}

bool StreamClient::send(ByteSpan frame, Time now) {
  if (link_ == nullptr || !link_->open()) return false;
  sender_.push(frame, *link_);
  sender_.flush(*link_, now);
  return true;
}

void StreamClient::on_open(Time now) {
  sender_.reset();
  receiver_.reset();
  if (opened_) opened_(now);
}

void StreamClient::on_close(RssiClose why, Time now) {
  sender_.reset();
  receiver_.reset();
  if (closed_) closed_(why, now);
}

bool StreamClient::on_segment(ByteSpan payload, Time now) {
  if (receiver_.push(payload) != Depacketizer::Result::kFrame) return true;
  if (receiver_.tags().eofe()) {
    ++damaged_;
    return true;
  }
  ++received_.frames;
  received_.bytes += receiver_.frame().size();
  if (handler_) handler_(receiver_.frame(), receiver_.tags(), now);
  return true;
}

}  // namespace softfeb::srp
