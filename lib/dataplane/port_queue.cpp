// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/port_queue.hpp"

#include <algorithm>

#include <rte_mbuf.h>

namespace softfeb::dataplane {

namespace {
constexpr std::size_t kHandoverRoom = 1024;
constexpr std::uint32_t kNotSeated = UINT32_MAX;
}  // namespace

PortMap::PortMap(unsigned workers) : handover(workers), doorbells(workers) {
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

PortQueue::PortQueue(const PortQueueConfig& config, const Deps& deps) : config_(config), deps_(deps) {
  config_.burst = std::min(config_.burst, kMaxBurst);
  for (const PortMap::Owner& owner : deps_.map->owners) {
    const bool mine = owner.worker == config_.worker;
    seat_of_.push_back(mine ? static_cast<std::uint32_t>(seats_.size()) : kNotSeated);
    if (mine) seats_.push_back({owner.endpoint});
  }
  touched_.reserve(seats_.size());
}

PortQueue::~PortQueue() {
  for (std::size_t i = 0; i < pending_count_; ++i) rte_pktmbuf_free(pending_[pending_first_ + i]);
  TxBuilder::release({buffers_.data(), acquired_});
  for (std::size_t i = 0; i < held_count_; ++i) rte_pktmbuf_free(held_[i].packet);
}

void PortQueue::wake() {
  for (Seat& seat : seats_) seat.wake = 0;
}

bool PortQueue::run(Time now, engine::StageClock* stages) {
  stages_ = stages;
  const bool busy = run_stages(now);
  enter(engine::Stage::kOther);
  return busy;
}

bool PortQueue::run_stages(Time now) {
  if (deps_.stamps != nullptr) return run_timed(now);
  const bool received = receive(now);
  const bool sent = transmit(now);
  return received || sent;
}

void PortQueue::look_for_incidents(Seat& seat) {
  const std::uint64_t now_at = seat.endpoint->incidents();
  if (now_at == seat.incidents) return;
  seat.incidents = now_at;
  if (deps_.rx_capture != nullptr) deps_.rx_capture->trigger();
  if (deps_.tx_capture != nullptr && deps_.tx_capture != deps_.rx_capture) deps_.tx_capture->trigger();
}

Time PortQueue::next_event(Time now) const {
  if (pending()) return now;
  Time at = kNever;
  for (const Seat& seat : seats_) at = std::min(at, seat.wake);
  for (std::size_t i = 0; i < held_count_; ++i)
    at = std::min(at, deps_.map->owners[held_[i].endpoint].endpoint->control_open_at());
  for (const FaultInjector* faults : {deps_.tx_faults, deps_.rx_faults}) {
    if (faults != nullptr) at = std::min(at, faults->next_release());
  }
  return at;
}

}  // namespace softfeb::dataplane
