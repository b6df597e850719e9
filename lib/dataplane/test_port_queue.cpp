// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/test_port_queue.hpp"

#include "dataplane/mbuf_lines.hpp"
#include "dataplane/rx_segments.hpp"
#include "switchtest/frame_writer.hpp"

#include <algorithm>

#include <rte_cycles.h>
#include <rte_ethdev.h>

namespace softfeb::dataplane {

TestPortQueue::TestPortQueue(std::uint16_t port, switchtest::TestPort& endpoint, TxBuilder& builder,
                             ByteSpan zeros)
    : port_(port), endpoint_(endpoint), builder_(builder), zeros_(zeros) {}

TestPortQueue::~TestPortQueue() { end(); }

void TestPortQueue::end() {
  for (std::size_t i = 0; i < pending_count_; ++i) rte_pktmbuf_free(pending_[pending_first_ + i]);
  pending_count_ = 0;
  TxBuilder::release({buffers_.data(), acquired_});
  acquired_ = filled_ = 0;
}

void TestPortQueue::run(Time now, const TscClock& clock) {
  receive(clock);
  transmit(now);
}

void TestPortQueue::receive(const TscClock& clock) {
  std::array<rte_mbuf*, kBurst> burst;
  const std::uint16_t n = rte_eth_rx_burst(port_, 0, burst.data(), kBurst);
  if (n == 0) return;
  // Read the clock again: packets may have arrived since the beginning of the iteration.
  const Time at = clock.time(rte_rdtsc());
  const ReceiveAhead ahead({burst.data(), n});
  for (std::uint16_t i = 0; i < n; ++i) {
    ahead.step(i);
    Segments bytes;
    if (to_segments(burst[i], bytes)) {
      endpoint_.receive(bytes, at);
    } else {
      ++counters_.rx_unreadable;
    }
    returned_.add(burst[i]);
  }
  returned_.flush();
  counters_.rx_packets += n;
  received_ += n;
}

void TestPortQueue::transmit(Time now) {
  if (!offer_pending()) return;
  if (filled_ == 0) fill(now);
  if (filled_ == 0) return;
  build();
  if (!offer_pending()) counters_.refused += pending_count_;
}

/// Returns true if no packet is pending afterwards.
bool TestPortQueue::offer_pending() {
  if (pending_count_ == 0) return true;
  const std::uint16_t n =
      rte_eth_tx_burst(port_, 0, &pending_[pending_first_], static_cast<std::uint16_t>(pending_count_));
  pending_first_ += n;
  pending_count_ -= n;
  counters_.tx_packets += n;
  sent_ += n;
  return pending_count_ == 0;
}

bool TestPortQueue::acquire() {
  if (acquired_ < kBurst / 2)
    acquired_ += builder_.acquire({frames_.data() + acquired_, kBurst - acquired_},
                                  {buffers_.data() + acquired_, kBurst - acquired_});
  return acquired_ != 0;
}

void TestPortQueue::fill(Time now) {
  if (endpoint_.next_event() > now + kAhead) return;
  if (!acquire()) {
    ++counters_.no_buffers;
    return;
  }
  filled_ = endpoint_.poll(now, {frames_.data(), acquired_}, kAhead);
  for (engine::TxFrame& frame : std::span(frames_).first(filled_))
    if (frame.payload == switchtest::FrameWriter::zeros().data()) frame.payload = zeros_.data();
}

void TestPortQueue::build() {
  const std::size_t built = builder_.build({frames_.data(), filled_}, {buffers_.data(), filled_});
  if (built < filled_) ++counters_.no_buffers;
  std::copy_n(buffers_.begin(), built, pending_.begin());
  pending_first_ = 0;
  pending_count_ = built;
  const auto first = static_cast<std::ptrdiff_t>(built);
  const auto last = static_cast<std::ptrdiff_t>(acquired_);
  std::copy(frames_.begin() + first, frames_.begin() + last, frames_.begin());
  std::copy(buffers_.begin() + first, buffers_.begin() + last, buffers_.begin());
  acquired_ -= built;
  filled_ -= built;
}

std::size_t TestPortQueue::discard() {
  std::array<rte_mbuf*, kBurst> burst;
  const std::uint16_t n = rte_eth_rx_burst(port_, 0, burst.data(), kBurst);
  std::size_t ours = 0;
  for (std::uint16_t i = 0; i < n; ++i) {
    Segments bytes;
    if (to_segments(burst[i], bytes) && switchtest::read_mark(roce::parse_frame(bytes))) ++ours;
    returned_.add(burst[i]);
  }
  returned_.flush();
  received_ += n;
  return ours;
}

bool TestPortQueue::send(ByteSpan bytes) {
  if (!offer_pending() || !acquire()) return false;
  engine::TxFrame& frame = frames_.front();
  std::copy(bytes.begin(), bytes.end(), frame.header);
  frame.header_length = static_cast<std::uint16_t>(bytes.size());
  frame.payload = nullptr;
  frame.payload_length = 0;
  frame.trailer_length = 0;
  filled_ = 1;
  build();
  return offer_pending();
}

}  // namespace softfeb::dataplane
