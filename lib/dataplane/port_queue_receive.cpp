// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/mbuf_lines.hpp"
#include "dataplane/port_queue.hpp"
#include "dataplane/rx_segments.hpp"
#include "roce/frame.hpp"

#include <algorithm>
#include <bitset>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

namespace softfeb::dataplane {

bool PortQueue::receive(Time now) {
  enter(engine::Stage::kRx);
  bool any = false;
  for (const std::uint16_t queue : config_.rx_queues) any = receive_queue(queue, now) || any;
  std::array<rte_mbuf*, kMaxBurst> burst;
  for (auto& from : deps_.map->handover) {
    SpscRing<rte_mbuf*>* const ring = from[config_.worker].get();
    if (ring == nullptr) continue;
    const std::size_t n = ring->pop_bulk(burst);
    take_burst({burst.data(), n}, true, now);
    any = any || n != 0;
  }
  if (any) end_burst(now);
  return any;
}

bool PortQueue::receive_queue(std::uint16_t queue, Time now) {
  std::array<rte_mbuf*, kMaxBurst> burst;
  const std::size_t n = rte_eth_rx_burst(config_.port, queue, burst.data(), config_.burst);
  counters_.rx_packets += n;
  if (deps_.latency != nullptr && n != 0) deps_.latency->received();
  if (deps_.rx_faults == nullptr || !deps_.rx_faults->active()) {
    take_burst({burst.data(), n}, false, now);
    return n != 0;
  }
  std::array<rte_mbuf*, FaultInjector::room_for(kMaxBurst)> out;
  const std::size_t left = deps_.rx_faults->apply({burst.data(), n}, out, now);
  take_burst({out.data(), left}, false, now);
  return n != 0 || left != 0;
}

/// Classifies a group of packets before delivering its first one, and meanwhile prefetches the state of the
/// group's endpoints. Prefetches the mbufs of the next group while the packets of a group are delivered,
/// because delivery takes longer than classification.
void PortQueue::take_burst(std::span<rte_mbuf* const> burst, bool handed_over, Time now) {
  const ReceiveAhead ahead(burst);
  for (std::size_t at = 0; at < burst.size(); at += group_.size()) {
    const std::size_t n = std::min(group_.size(), burst.size() - at);
    for (std::size_t k = 0; k < n; ++k) {
      if (at == 0) ahead.step(k);
      look_at(burst[at + k], group_[k], now);
    }
    const bool more = at + n < burst.size();
    for (std::size_t k = 0; k < n; ++k) {
      take(group_[k], handed_over, now);
      if (more) ahead.step(at + n + k);
    }
    enter(engine::Stage::kRx);
  }
}

/// Finds the owner of a frame. In most cases, it is the cached owner of the previous frame.
std::uint32_t PortQueue::owner_of(const roce::ParsedFrame& frame) {
  if (frame.kind != roce::FrameKind::kUdp || frame.vlan) return deps_.map->demux.find(frame);
  if (last_owner_ == engine::Demux::kNobody || last_ip_ != frame.dest_ip) {
    last_ip_ = frame.dest_ip;
    last_owner_ = deps_.map->demux.find(frame);
  }
  return last_owner_;
}

void PortQueue::look_at(rte_mbuf* packet, Arrival& out, Time now) {
  out.packet = packet;
  out.index = engine::Demux::kNobody;
  Segments bytes;
  if (!to_segments(packet, bytes)) {
    out.frame.kind = roce::FrameKind::kMalformed;
    ++counters_.rx_malformed;
    return;
  }
  if (deps_.rx_capture != nullptr && deps_.rx_capture->wants()) deps_.rx_capture->record(now, bytes);
  roce::parse_frame(bytes, out.frame);
  if (out.frame.kind == roce::FrameKind::kMalformed) {
    ++counters_.rx_malformed;
    return;
  }
  out.index = owner_of(out.frame);
  if (out.index == engine::Demux::kNobody) return;
  const PortMap::Owner& owner = deps_.map->owners[out.index];
  if (owner.worker == config_.worker) owner.endpoint->expect(out.frame);
}

void PortQueue::take(const Arrival& a, bool handed_over, Time now) {
  if (a.frame.kind == roce::FrameKind::kMacControl) {
    if (!take_pause(a.packet, a.frame, handed_over, now)) ++counters_.rx_nobody;
    returned_.add(a.packet);
    return;
  }
  if (a.index == engine::Demux::kNobody) {
    if (a.frame.kind != roce::FrameKind::kMalformed) ++counters_.rx_nobody;
    returned_.add(a.packet);
    return;
  }
  const PortMap::Owner& owner = deps_.map->owners[a.index];
  if (owner.worker == config_.worker) {
    deliver(*owner.endpoint, a, now);
  } else if (!hand_over(a.packet, owner.worker)) {
    returned_.add(a.packet);
  }
}

bool PortQueue::hand_over(rte_mbuf* packet, unsigned worker) {
  if (!deps_.map->handover[config_.worker][worker]->push(packet)) {
    ++counters_.ring_full;
    return false;
  }
  ++counters_.rx_handed_over;
  if (Doorbell* const doorbell = deps_.map->doorbells[worker]; doorbell != nullptr) doorbell->ring();
  return true;
}

/// Passes a pause frame to the endpoints that it concerns, which may belong to several workers. Each of these
/// workers gets a reference to the same mbuf, which it only reads. Returns false if the frame concerns no
/// endpoint.
bool PortQueue::take_pause(rte_mbuf* packet, const roce::ParsedFrame& frame, bool handed_over, Time now) {
  bool any = false;
  std::bitset<RTE_MAX_LCORE> told;  // workers that have received the frame
  deps_.map->demux.for_each_paused(frame.dest_mac, [&](std::uint32_t index) {
    any = true;
    const PortMap::Owner& owner = deps_.map->owners[index];
    if (owner.worker == config_.worker) {
      owner.endpoint->receive_in_burst(frame, now);
      touch(seat_of_[index]);
      return;
    }
    if (handed_over || told[owner.worker]) return;
    told.set(owner.worker);
    rte_pktmbuf_refcnt_update(packet, 1);
    if (!hand_over(packet, owner.worker)) rte_pktmbuf_free(packet);
  });
  return any;
}

void PortQueue::deliver(engine::Endpoint& endpoint, const Arrival& a, Time now) {
  const engine::RxVerdict verdict =
      stages_ == nullptr ? endpoint.receive_in_burst(a.frame, now) : deliver_measured(endpoint, a.frame, now);
  touch(seat_of_[a.index]);
  if (capturing()) look_for_incidents(seats_[seat_of_[a.index]]);
  if (verdict == engine::RxVerdict::kControl) {
    if (deps_.control != nullptr && deps_.control->push({a.index, a.packet})) {
      ++counters_.control_rx;
      if (deps_.control_thread != nullptr) deps_.control_thread->ring();
      return;
    }
    ++counters_.ring_full;
  }
  returned_.add(a.packet);
}

engine::RxVerdict PortQueue::deliver_measured(engine::Endpoint& endpoint, const roce::ParsedFrame& frame,
                                              Time now) {
  enter(engine::Stage::kCheck);
  endpoint.measure_stages(stages_);
  const engine::RxVerdict verdict = endpoint.receive_in_burst(frame, now);
  endpoint.measure_stages(nullptr);
  return verdict;
}

void PortQueue::touch(std::uint32_t seat) {
  if (seats_[seat].touched) return;
  seats_[seat].touched = true;
  touched_.push_back(seat);
}

/// Ends the receive part of an iteration, after all received packets have been delivered.
void PortQueue::end_burst(Time now) {
  enter(engine::Stage::kPlace);
  for (const std::uint32_t i : touched_) {
    Seat& seat = seats_[i];
    seat.endpoint->end_of_burst(now);
    if (capturing()) look_for_incidents(seat);
    seat.touched = false;
    seat.wake = 0;
  }
  touched_.clear();
  returned_.flush();
}

}  // namespace softfeb::dataplane
