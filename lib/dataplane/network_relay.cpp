// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/network_relay.hpp"

#include <algorithm>
#include <span>

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_prefetch.h>

namespace softfeb::dataplane {

namespace {

void prefetch_struct(rte_mbuf* m) {
  rte_mbuf_prefetch_part1(m);
  rte_mbuf_prefetch_part2(m);
}

/// Prefetches packets that another core has just written, in stages: each loop reads the lines that the
/// previous loop prefetched. All segments are prefetched, because this worker reads and frees them later. The
/// shared reference count of an external payload follows its mbuf in memory, at `m->next + 1`.
void prefetch(std::span<rte_mbuf* const> burst) {
  for (rte_mbuf* const m : burst) prefetch_struct(m);
  for (rte_mbuf* const m : burst) {
    rte_prefetch0(rte_pktmbuf_mtod(m, void*));
    if (m->next == nullptr) continue;
    prefetch_struct(m->next);
    rte_prefetch0(m->next + 1);
  }
  for (rte_mbuf* const m : burst) {
    if (m->nb_segs > 2) prefetch_struct(m->next->next);
  }
  for (rte_mbuf* const m : burst) {
    if (m->nb_segs > 2) rte_prefetch0(rte_pktmbuf_mtod(m->next->next, void*));
  }
}

}  // namespace

NetworkRelay::NetworkRelay(const NetworkRelayConfig& config, const fabric::NetworkConfig& network,
                           Mempools& pools)
    : config_(config),
      frames_(config.frames, config.frame_bytes, config.lcores, pools, -1, network.cc_port, config.held),
      network_(network, frames_),
      by_mac_(config.stations.size()),
      port_of_(network.stations.size()),
      queues_(config.ports.size()) {
  for (const NetworkStation& s : config_.stations) {
    by_mac_.insert(s.mac, s.station);
    port_of_[s.station] = s.port;
  }
  for (std::size_t p = 0; p < config_.ports.size(); ++p) {
    if (config_.ports[p].station) port_of_[*config_.ports[p].station] = p;
  }
}

NetworkRelay::~NetworkRelay() {
  for (Queue& q : queues_) {
    while (q.first != nullptr) {
      fabric::Frame* const frame = q.first;
      q.first = frame->next;
      frames_.release(frame);
    }
  }
}

bool NetworkRelay::run(Time now) {
  watch_lateness(now);
  bool busy = false;
  for (const NetworkPort& port : config_.ports) busy = receive(port, now) || busy;
  busy = deliver(now) || busy;
  for (std::size_t p = 0; p < queues_.size(); ++p) busy = offer(p) || busy;
  return busy;
}

Time NetworkRelay::next_event(Time now) const { return pending() ? now : network_.next_event(); }

void NetworkRelay::watch_lateness(Time now) {
  const Time due = network_.next_event();
  if (due == kNever || due + NetworkRelayCounters::kLate >= now) return;
  ++counters_.overruns;
  counters_.late += now - due;
  counters_.latest = std::max(counters_.latest, now - due);
}

bool NetworkRelay::receive(const NetworkPort& port, Time now) {
  if (outside_closed_ && port.station) return false;
  std::array<rte_mbuf*, kBurst> burst;
  const auto most = static_cast<std::uint16_t>(std::min<std::size_t>(kBurst, frames_.room()));
  if (most < kBurst) ++counters_.held_up;
  if (most == 0) return false;
  const std::uint16_t n = rte_eth_rx_burst(port.port, 0, burst.data(), most);
  prefetch({burst.data(), n});
  for (std::uint16_t i = 0; i < n; ++i) enter(port, burst[i], now);
  counters_.rx_packets += n;
  if (port.station) counters_.rx_outside += n;
  return n != 0;
}

void NetworkRelay::enter(const NetworkPort& port, rte_mbuf* packet, Time now) {
  fabric::Frame* const frame = frames_.adopt(packet);
  if (frame == nullptr) {
    ++counters_.rx_unusable;
    rte_pktmbuf_free(packet);
    return;
  }
  constexpr std::size_t kSourceMac = 6;
  const auto station = port.station ? port.station : by_mac_.find(frame->header + kSourceMac);
  if (!station) {
    ++counters_.rx_stranger;
    frames_.release(frame);
    return;
  }
  network_.send(*station, frame, now);
}

bool NetworkRelay::deliver(Time now) {
  bool any = false;
  for (;;) {
    const std::size_t n = network_.run(now, deliveries_);
    for (std::size_t i = 0; i < n; ++i) queue_up(deliveries_[i]);
    any = any || n != 0;
    if (n < deliveries_.size()) return any;
  }
}

void NetworkRelay::queue_up(const fabric::Network::Delivery& delivery) {
  const std::size_t port = port_of_[delivery.station];
  Queue& q = queues_[port];
  if (config_.ports[port].station && q.count >= kPortRoom) {
    ++counters_.tx_dropped;
    frames_.release(delivery.frame);
    return;
  }
  delivery.frame->next = nullptr;
  (q.first == nullptr ? q.first : q.last->next) = delivery.frame;
  q.last = delivery.frame;
  ++q.count;
  ++counters_.tx_waiting;
}

bool NetworkRelay::offer(std::size_t port) {
  Queue& q = queues_[port];
  bool any = false;
  while (q.first != nullptr) {
    std::array<fabric::Frame*, kBurst> frames;
    std::array<rte_mbuf*, kBurst> packets;
    std::uint16_t n = 0;
    for (fabric::Frame* f = q.first; f != nullptr && n < kBurst; f = f->next) {
      frames[n] = f;
      packets[n++] = MbufFrames::packet_of(f);
    }
    const std::uint16_t taken = rte_eth_tx_burst(config_.ports[port].port, 0, packets.data(), n);
    if (taken != 0) q.first = frames[taken - 1]->next;
    for (std::uint16_t i = 0; i < taken; ++i) frames_.take(frames[i]);
    q.count -= taken;
    counters_.tx_packets += taken;
    if (config_.ports[port].station) counters_.tx_outside += taken;
    counters_.tx_waiting -= taken;
    any = any || taken != 0;
    if (taken == n) continue;
    ++counters_.tx_short;
    break;
  }
  return any;
}

}  // namespace softfeb::dataplane
