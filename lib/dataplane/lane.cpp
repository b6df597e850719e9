// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/lane.hpp"

#include "dataplane/rx_segments.hpp"
#include "roce/frame.hpp"

#include <algorithm>
#include <bitset>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

namespace softfeb::dataplane {

namespace {
constexpr std::size_t kHandoverRoom = 1024;
constexpr std::uint32_t kNotSeated = UINT32_MAX;
}  // namespace

PortMap::PortMap(unsigned workers) : handover(workers) {
  for (unsigned from = 0; from < workers; ++from) {
    handover[from].resize(workers);
    for (unsigned to = 0; to < workers; ++to) {
      if (from != to) handover[from][to] = std::make_unique<SpscRing<rte_mbuf*>>(kHandoverRoom);
    }
  }
}

bool PortMap::add(engine::Endpoint& endpoint, unsigned worker) {
  if (!demux.insert(endpoint.identity(), static_cast<std::uint32_t>(owners.size()))) return false;
  owners.push_back({worker, &endpoint});
  return true;
}

Lane::Lane(const LaneConfig& config, const Parts& parts) : config_(config), parts_(parts) {
  config_.burst = std::min(config_.burst, kMaxBurst);
  for (const PortMap::Owner& owner : parts_.map->owners) {
    const bool mine = owner.worker == config_.worker;
    seat_of_.push_back(mine ? static_cast<std::uint32_t>(seats_.size()) : kNotSeated);
    if (mine) seats_.push_back({owner.endpoint});
  }
}

Lane::~Lane() {
  for (std::size_t i = 0; i < pending_count_; ++i) rte_pktmbuf_free(pending_[pending_first_ + i]);
  TxBuilder::release({buffers_.data(), acquired_});
  for (std::size_t i = 0; i < held_count_; ++i) rte_pktmbuf_free(held_[i].packet);
}

void Lane::wake() {
  for (Seat& seat : seats_) seat.wake = 0;
}

bool Lane::run(Time now) {
  const bool received = receive(now);
  const bool sent = transmit(now);
  return received || sent;
}

Time Lane::next_event(Time now) const {
  if (pending()) return now;
  Time at = kNever;
  for (const Seat& seat : seats_) at = std::min(at, seat.wake);
  for (std::size_t i = 0; i < held_count_; ++i)
    at = std::min(at, parts_.map->owners[held_[i].endpoint].endpoint->control_open_at());
  return at;
}

bool Lane::receive(Time now) {
  bool any = false;
  for (const std::uint16_t queue : config_.rx_queues) any = receive_queue(queue, now) || any;
  std::array<rte_mbuf*, kMaxBurst> burst;
  for (auto& from : parts_.map->handover) {
    SpscRing<rte_mbuf*>* const ring = from[config_.worker].get();
    if (ring == nullptr) continue;
    const std::size_t n = ring->pop_bulk(burst);
    for (std::size_t i = 0; i < n; ++i) take(burst[i], true, now);
    any = any || n != 0;
  }
  return any;
}

bool Lane::receive_queue(std::uint16_t queue, Time now) {
  std::array<rte_mbuf*, kMaxBurst> burst;
  const std::size_t n = rte_eth_rx_burst(config_.port, queue, burst.data(), config_.burst);
  counters_.rx_packets += n;
  if (parts_.rx_faults == nullptr || !parts_.rx_faults->active()) {
    for (std::size_t i = 0; i < n; ++i) take(burst[i], false, now);
    return n != 0;
  }
  std::array<rte_mbuf*, FaultInjector::room_for(kMaxBurst)> out;
  const std::size_t left = parts_.rx_faults->apply({burst.data(), n}, out);
  for (std::size_t i = 0; i < left; ++i) take(out[i], false, now);
  return n != 0;
}

void Lane::take(rte_mbuf* packet, bool handed_over, Time now) {
  Segments bytes;
  if (!to_segments(packet, bytes)) {
    ++counters_.rx_malformed;
    rte_pktmbuf_free(packet);
    return;
  }
  if (parts_.rx_capture != nullptr && parts_.rx_capture->wants()) parts_.rx_capture->record(now, bytes);
  const roce::ParsedFrame frame = roce::parse_frame(bytes);
  if (frame.kind == roce::FrameKind::kMalformed) ++counters_.rx_malformed;
  if (frame.kind == roce::FrameKind::kMacControl) {
    if (!take_pause(packet, frame, handed_over, now)) ++counters_.rx_nobody;
    rte_pktmbuf_free(packet);
    return;
  }
  const std::uint32_t index = parts_.map->demux.find(frame);
  if (index == engine::Demux::kNobody) {
    if (frame.kind != roce::FrameKind::kMalformed) ++counters_.rx_nobody;
    rte_pktmbuf_free(packet);
    return;
  }
  const PortMap::Owner& owner = parts_.map->owners[index];
  if (owner.worker == config_.worker) {
    deliver(*owner.endpoint, frame, index, packet, now);
  } else if (parts_.map->handover[config_.worker][owner.worker]->push(packet)) {
    ++counters_.rx_handed_over;
  } else {
    ++counters_.ring_full;
    rte_pktmbuf_free(packet);
  }
}

/// A port's pause frame may be for endpoints of several workers: each gets it, and only reads it.
bool Lane::take_pause(rte_mbuf* packet, const roce::ParsedFrame& frame, bool handed_over, Time now) {
  bool any = false;
  std::bitset<RTE_MAX_LCORE> told;  // workers
  parts_.map->demux.for_each_paused(frame.dest_mac, [&](std::uint32_t index) {
    any = true;
    const PortMap::Owner& owner = parts_.map->owners[index];
    if (owner.worker == config_.worker) {
      owner.endpoint->receive(frame, now);
      seats_[seat_of_[index]].wake = 0;
      return;
    }
    if (handed_over || told[owner.worker]) return;
    told.set(owner.worker);
    rte_pktmbuf_refcnt_update(packet, 1);
    if (parts_.map->handover[config_.worker][owner.worker]->push(packet)) {
      ++counters_.rx_handed_over;
    } else {
      ++counters_.ring_full;
      rte_pktmbuf_free(packet);
    }
  });
  return any;
}

void Lane::deliver(engine::Endpoint& endpoint, const roce::ParsedFrame& frame, std::uint32_t index,
                   rte_mbuf* packet, Time now) {
  const engine::RxVerdict verdict = endpoint.receive(frame, now);
  Seat& seat = seats_[seat_of_[index]];
  seat.wake = 0;
  look_for_incidents(seat);
  if (verdict == engine::RxVerdict::kControl) {
    if (parts_.control != nullptr && parts_.control->push({index, packet})) {
      ++counters_.control_rx;
      return;
    }
    ++counters_.ring_full;
  }
  rte_pktmbuf_free(packet);
}

void Lane::look_for_incidents(Seat& seat) {
  const std::uint64_t now_at = seat.endpoint->incidents();
  if (now_at == seat.incidents) return;
  seat.incidents = now_at;
  if (parts_.rx_capture != nullptr) parts_.rx_capture->trigger();
  if (parts_.tx_capture != nullptr && parts_.tx_capture != parts_.rx_capture) parts_.tx_capture->trigger();
}

bool Lane::transmit(Time now) {
  if (!offer_pending()) {
    // The port takes nothing: time goes on for timers all the same.
    for (Seat& seat : seats_) seat.endpoint->poll(now, {});
    return false;
  }
  if (acquired_ < config_.burst) {
    acquired_ += parts_.builder->acquire({frames_.data() + acquired_, config_.burst - acquired_},
                                         {buffers_.data() + acquired_, config_.burst - acquired_});
  }
  collect(now);
  std::array<rte_mbuf*, kMaxBurst + kControlShare> packets;
  std::size_t n = take_control_frames(packets, now);
  n += build(std::span(packets).subspan(n));
  // A packet that faults hold back leaves with a call that has nothing for them.
  if (n == 0 && (parts_.tx_faults == nullptr || !parts_.tx_faults->active())) return false;
  send({packets.data(), n}, now);
  return n != 0;
}

/// True when nothing waits any more.
bool Lane::offer_pending() {
  if (pending_count_ == 0) return true;
  const std::uint16_t n = rte_eth_tx_burst(config_.port, config_.tx_queue, &pending_[pending_first_],
                                           static_cast<std::uint16_t>(pending_count_));
  pending_first_ += n;
  pending_count_ -= n;
  counters_.tx_packets += n;
  return pending_count_ == 0;
}

void Lane::collect(Time now) {
  // Endpoints take turns at being first, so that none starves the others of buffers.
  for (std::size_t k = 0; k < seats_.size() && filled_ < acquired_; ++k) {
    Seat& seat = seats_[next_seat_];
    if (++next_seat_ == seats_.size()) next_seat_ = 0;
    if (seat.wake > now) continue;
    const std::size_t n = seat.endpoint->poll(now, {frames_.data() + filled_, acquired_ - filled_});
    filled_ += n;
    if (n == 0) seat.wake = seat.endpoint->next_event(now);
    look_for_incidents(seat);
  }
}

std::size_t Lane::take_control_frames(std::span<rte_mbuf*> out, Time now) {
  if (parts_.control_frames == nullptr) return 0;
  held_count_ += parts_.control_frames->pop_bulk(std::span(held_).subspan(held_count_));
  std::size_t n = 0, kept = 0;
  for (std::size_t i = 0; i < held_count_; ++i) {
    engine::Endpoint& endpoint = *parts_.map->owners[held_[i].endpoint].endpoint;
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

std::size_t Lane::build(std::span<rte_mbuf*> out) {
  const unsigned built = parts_.builder->build({frames_.data(), filled_}, {buffers_.data(), filled_});
  for (unsigned i = 0; i < built; ++i) counters_.tx_bytes += frames_[i].length();
  std::copy_n(buffers_.begin(), built, out.begin());
  // What was built is gone; what remains moves to the front.
  std::move(frames_.begin() + built, frames_.begin() + static_cast<std::ptrdiff_t>(acquired_),
            frames_.begin());
  std::move(buffers_.begin() + built, buffers_.begin() + static_cast<std::ptrdiff_t>(acquired_),
            buffers_.begin());
  filled_ -= built;
  acquired_ -= built;
  return built;
}

void Lane::send(std::span<rte_mbuf* const> packets, Time now) {
  if (parts_.tx_faults != nullptr && parts_.tx_faults->active()) {
    pending_count_ = parts_.tx_faults->apply(packets, pending_);
  } else {
    std::copy(packets.begin(), packets.end(), pending_.begin());
    pending_count_ = packets.size();
  }
  pending_first_ = 0;
  if (parts_.tx_capture != nullptr && parts_.tx_capture->wants()) {
    Segments bytes;
    for (std::size_t i = 0; i < pending_count_; ++i) {
      if (to_segments(pending_[i], bytes)) parts_.tx_capture->record(now, bytes);
    }
  }
  if (!offer_pending()) ++counters_.tx_short;
}

}  // namespace softfeb::dataplane
