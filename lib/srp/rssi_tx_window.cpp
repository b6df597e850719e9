// SPDX-License-Identifier: BSD-3-Clause
#include "srp/rssi_tx_window.hpp"

#include "srp/rssi_header.hpp"

#include <algorithm>
#include <utility>

namespace softfeb::srp::rssi {

void TxWindow::start(std::uint8_t first, std::size_t window, std::size_t queue) {
  stop();
  base_ = first;
  window_ = window;
  capacity_ = window + queue;
}

void TxWindow::stop() {
  base_ = next_sequence();
  in_flight_ = window_ = capacity_ = 0;
  segments_ = {};
  spare_ = {};
}

std::vector<std::uint8_t> TxWindow::buffer() {
  if (spare_.empty()) return {};
  std::vector<std::uint8_t> bytes = std::move(spare_.back());
  spare_.pop_back();
  return bytes;
}

bool TxWindow::push(ByteSpan payload) {
  if (room() == 0) return false;
  TxSegment& s = segments_.emplace_back();
  s.bytes = buffer();
  s.bytes.resize(kHeaderSize + payload.size());
  std::copy(payload.begin(), payload.end(), s.bytes.begin() + kHeaderSize);
  return true;
}

bool TxWindow::push_nul() {
  if (in_flight_ == window_) return false;
  TxSegment s;
  s.bytes.resize(kHeaderSize);
  s.nul = true;
  segments_.insert(segments_.begin() + static_cast<std::ptrdiff_t>(in_flight_), std::move(s));
  return true;
}

TxSegment* TxWindow::next() {
  if (in_flight_ == window_ || in_flight_ == segments_.size()) return nullptr;
  return &segments_[in_flight_++];
}

std::optional<std::size_t> TxWindow::acknowledge(std::uint8_t number) {
  const auto last = static_cast<std::uint8_t>(base_ - 1);
  const std::size_t count = ahead(last, number);
  if (count > in_flight_) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    if (spare_.size() < window_ && !segments_.front().nul)
      spare_.push_back(std::move(segments_.front().bytes));
    segments_.pop_front();
  }
  in_flight_ -= count;
  base_ = static_cast<std::uint8_t>(base_ + count);
  return count;
}

bool TxWindow::is_old(std::uint8_t number) const {
  const std::uint8_t behind = ahead(number, static_cast<std::uint8_t>(base_ - 1));
  return behind != 0 && behind < 128;
}

}  // namespace softfeb::srp::rssi
