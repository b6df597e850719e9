// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/port_queue.hpp"
#include "dataplane/rx_segments.hpp"

#include <algorithm>

#include <rte_ethdev.h>

namespace softfeb::dataplane {

bool PortQueue::transmit(Time now) {
  enter(engine::Stage::kBuild);
  if (!offer_pending()) {
    // The port accepts no frames now, but poll() must still run the endpoints' timers.
    for (Seat& seat : seats_) seat.endpoint->poll(now, {});
    return false;
  }
  if (acquired_ < config_.burst) {
    acquired_ += deps_.builder->acquire({frames_.data() + acquired_, config_.burst - acquired_},
                                        {buffers_.data() + acquired_, config_.burst - acquired_});
  }
  collect(now);
  // pending_ is empty, so build the burst directly in it.
  std::size_t n = take_control_frames(pending_, now);
  n += build(std::span(pending_).subspan(n));
  // An empty burst still goes through fault injection, which then releases the packet that it holds back, if
  // any.
  if (n == 0 && (deps_.tx_faults == nullptr || !deps_.tx_faults->active())) return false;
  send(n, now);
  return n != 0;
}

/// Offers the pending packets to the port. Returns true if none is pending afterwards.
bool PortQueue::offer_pending() {
  if (pending_count_ == 0) return true;
  enter(engine::Stage::kTx);
  const std::uint16_t n = rte_eth_tx_burst(config_.port, config_.tx_queue, &pending_[pending_first_],
                                           static_cast<std::uint16_t>(pending_count_));
  if (last_packet_count_ != 0) report_sent({&pending_[pending_first_], n});
  pending_first_ += n;
  pending_count_ -= n;
  counters_.tx_packets += n;
  if (n != 0) {
    for (Doorbell* const doorbell : deps_.far_ends) doorbell->ring();
  }
  enter(engine::Stage::kBuild);
  return pending_count_ == 0;
}

/// Reports when the last packets of messages were sent. The last packet of a message is not reported if fault
/// injection drops it or holds it back.
void PortQueue::report_sent(std::span<rte_mbuf* const> packets) {
  const Time at = deps_.latency->clock(0);
  for (std::size_t i = 0; i < last_packet_count_; ++i) {
    const LastPacket& last = last_packets_[i];
    if (std::find(packets.begin(), packets.end(), last.packet) != packets.end())
      deps_.latency->put(last.message, latency::Stage::kSent, at);
  }
  if (packets.size() == pending_count_) last_packet_count_ = 0;
}

void PortQueue::collect(Time now) {
  // Start with a different endpoint each time, so that none starves the others of buffers.
  for (std::size_t k = 0; k < seats_.size() && filled_ < acquired_; ++k) {
    Seat& seat = seats_[next_seat_];
    if (++next_seat_ == seats_.size()) next_seat_ = 0;
    if (seat.wake > now) continue;
    const std::size_t n = seat.endpoint->poll(now, {frames_.data() + filled_, acquired_ - filled_});
    filled_ += n;
    if (n == 0) seat.wake = seat.endpoint->next_event(now);
    if (capturing()) look_for_incidents(seat);
  }
}

std::size_t PortQueue::take_control_frames(std::span<rte_mbuf*> out, Time now) {
  if (deps_.control_frames == nullptr) return 0;
  held_count_ += deps_.control_frames->pop_bulk(std::span(held_).subspan(held_count_));
  std::size_t n = 0, kept = 0;
  for (std::size_t i = 0; i < held_count_; ++i) {
    engine::Endpoint& endpoint = *deps_.map->owners[held_[i].endpoint].endpoint;
    if (endpoint.control_open_at() > now) {
      held_[kept++] = held_[i];
      continue;
    }
    const std::uint32_t length = held_[i].packet->pkt_len;
    endpoint.control_frame_sent(length, now);
    counters_.tx_bytes += length;
    out[n++] = held_[i].packet;
  }
  held_count_ = kept;
  counters_.control_tx += n;
  return n;
}

std::size_t PortQueue::build(std::span<rte_mbuf*> out) {
  const std::uint64_t before = deps_.builder->counters().bytes;
  const unsigned built = deps_.builder->build({frames_.data(), filled_}, {buffers_.data(), filled_});
  counters_.tx_bytes += deps_.builder->counters().bytes - before;
  std::copy_n(buffers_.begin(), built, out.begin());
  last_packet_count_ = 0;
  if (deps_.latency != nullptr && deps_.latency->has_marked_frames()) note_last_packets(built);
  acquired_ -= built;
  filled_ -= built;
  // Close the gap that the built frames leave at the front. Usually only unfilled buffers remain. Their order
  // does not matter, so move only as many as the gap needs. If filled frames remain because a pool ran out,
  // move everything to keep their order.
  const std::size_t moved = filled_ == 0 ? std::min<std::size_t>(built, acquired_) : acquired_;
  const auto from = static_cast<std::ptrdiff_t>(built + acquired_ - moved);
  std::copy_n(frames_.begin() + from, moved, frames_.begin());
  std::copy_n(buffers_.begin() + from, moved, buffers_.begin());
  return built;
}

void PortQueue::note_last_packets(std::size_t built) {
  for (std::size_t i = 0; i < built; ++i) {
    if (frames_[i].message == 0) continue;
    last_packets_[last_packet_count_++] = {buffers_[i], frames_[i].message};
  }
  deps_.latency->unmark_frames(last_packet_count_);
}

void PortQueue::send(std::size_t n, Time now) {
  enter(engine::Stage::kTx);
  pending_first_ = 0;
  pending_count_ = n;
  if (deps_.tx_faults != nullptr && deps_.tx_faults->active()) {
    std::array<rte_mbuf*, kMaxBurst + kControlShare> packets;
    std::copy_n(pending_.begin(), n, packets.begin());
    pending_count_ = deps_.tx_faults->apply({packets.data(), n}, pending_, now);
  }
  if (deps_.tx_capture != nullptr && deps_.tx_capture->wants()) {
    Segments bytes;
    for (std::size_t i = 0; i < pending_count_; ++i) {
      if (to_segments(pending_[i], bytes)) deps_.tx_capture->record(now, bytes);
    }
  }
  if (!offer_pending()) ++counters_.tx_short;
}

}  // namespace softfeb::dataplane
