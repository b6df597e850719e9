// SPDX-License-Identifier: BSD-3-Clause
#include "srp/rssi_rx_window.hpp"

#include "srp/rssi_header.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::srp::rssi {

void RxWindow::start(std::uint8_t next, std::size_t window) {
  stop();
  next_ = next;
  window_ = window;
}

void RxWindow::stop() {
  window_ = 0;
  held_ = {};
}

RxWindow::Place RxWindow::place(std::uint8_t sequence) const {
  const std::uint8_t distance = ahead(next_, sequence);
  if (distance == 0) return Place::kNext;
  if (distance < window_) return Place::kAhead;
  return distance < 128 ? Place::kBeyond : Place::kKnown;
}

std::vector<RxSegment>::iterator RxWindow::find(std::uint8_t sequence) {
  return std::find_if(held_.begin(), held_.end(), [&](const RxSegment& s) { return s.sequence == sequence; });
}

void RxWindow::hold(std::uint8_t sequence, bool nul, ByteSpan payload) {
  if (find(sequence) == held_.end())
    held_.push_back({sequence, nul, std::vector<std::uint8_t>(payload.begin(), payload.end())});
}

void RxWindow::hold(RxSegment segment) {
  if (find(segment.sequence) == held_.end()) held_.push_back(std::move(segment));
}

std::optional<RxSegment> RxWindow::take_next() {
  const auto found = find(next_);
  if (found == held_.end()) return std::nullopt;
  RxSegment segment = std::move(*found);
  if (found != held_.end() - 1) *found = std::move(held_.back());
  held_.pop_back();
  return segment;
}

}  // namespace softfeb::srp::rssi
