// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/event_loop.hpp"

#include "roce/frame.hpp"

#include <algorithm>
#include <stdexcept>

namespace softfeb::simulator {

namespace {

/// Identifier of a VLAN; 0 if there is none.
std::uint16_t id_of(const std::optional<roce::VlanTag>& vlan) { return vlan ? vlan->id : std::uint16_t{0}; }

}  // namespace

EventLoop::EventLoop(const fabric::NetworkConfig& config, const std::vector<Seat>& seats,
                     const fabric::Slice* slice)
    : pool_(FramePool::limit_for(config.stations.size())),
      network_(config, pool_, slice),
      slice_(slice),
      place_of_(config.stations.size(), kNobody),
      next_(seats.size()) {
  for (const Seat& seat : seats) {
    place_of_[seat.station] = static_cast<std::uint32_t>(places_.size());
    places_.push_back({seat, {}});
    places_.back().own.insert(seat.endpoint->identity(), 0);
  }
  for (std::size_t i = 0; i < kBurst; ++i) prepare(i);
  for (std::uint32_t i = 0; i < places_.size(); ++i)
    if (simulates(i)) next_.set(i, 0);
}

/// Acquires an empty frame, into which the engine can write its next frame.
void EventLoop::prepare(std::size_t i) {
  frames_[i] = pool_.acquire();
  if (frames_[i] == nullptr) throw std::runtime_error(pool_.full_text());
  out_[i].header = frames_[i]->header;
  out_[i].icrc_right = false;
}

void EventLoop::run_until(Time end) {
  for (;;) {
    const Time next = next_.time();
    fabric::Network::Delivery delivery;
    if (network_.run(std::min(next, end), {&delivery, 1}) == 1) {
      deliver(delivery);
    } else if (next <= end) {
      serving_ = next_.party();
      serve(serving_, next);
      serving_ = kNobody;
    } else {
      break;
    }
  }
  now_ = end;
}

void EventLoop::deliver(const fabric::Network::Delivery& delivery) {
  ++events_done_;
  now_ = delivery.at;
  const std::uint32_t i = place_of_[delivery.station];
  const bool ours = i != kNobody && receive(places_[i], *static_cast<const PoolFrame*>(delivery.frame));
  pool_.release(delivery.frame);
  if (!ours) {
    ++passed_over_;
    return;
  }
  const Time next = places_[i].seat.endpoint->next_event(now_);
  if (next <= now_) {
    serve(i, now_);
  } else {
    next_.set(i, next);
  }
}

/// Returns true if the frame is for this endpoint. Nearly all frames are UDP; for these, comparing the
/// addresses is faster than looking up the frame in `own`.
bool EventLoop::is_for(const Place& place, const roce::ParsedFrame& frame) {
  if (frame.kind == roce::FrameKind::kUdp) {
    const engine::Identity& own = place.seat.endpoint->identity();
    return frame.dest_ip == own.ip && id_of(frame.vlan) == id_of(own.vlan);
  }
  if (frame.kind != roce::FrameKind::kMacControl) return place.own.find(frame) == 0;
  bool paused = false;
  place.own.for_each_paused(frame.dest_mac, [&paused](std::uint32_t) { paused = true; });
  return paused;
}

/// Returns false if the frame is not for this endpoint.
bool EventLoop::receive(Place& place, const PoolFrame& frame) {
  roce::ParsedFrame parsed = roce::parse_frame(frame.segments());
  parsed.icrc_right = frame.icrc_right;
  if (!is_for(place, parsed)) return false;
  place.seat.endpoint->receive(parsed, now_);
  return true;
}

/// Polls endpoint `i` until it has nothing more to send.
void EventLoop::serve(std::uint32_t i, Time now) {
  ++events_done_;
  now_ = now;
  engine::Endpoint& endpoint = *places_[i].seat.endpoint;
  for (std::size_t n = kBurst; n == kBurst;) {
    n = endpoint.poll(now, out_);
    for (std::size_t k = 0; k < n; ++k) {
      FramePool::fill(*frames_[k], out_[k]);
      network_.send(places_[i].seat.station, frames_[k], now);
      prepare(k);
    }
  }
  next_.set(i, endpoint.next_event(now));
  if (slice_ != nullptr) note_flows();
}

Order EventLoop::order() const {
  if (serving_ != kNobody) return {step_, now_, 1, serving_};
  const fabric::Network::Moment& moment = network_.moment();
  return {step_, moment.at, 0, 2 * moment.direction + (network_.leaves(moment.direction) ? 1U : 0U)};
}

/// Records the flows of this slice's stations that have just sent their first packet.
void EventLoop::note_flows() {
  const auto flows = network_.flows();
  for (; flows_noted_ < flows.size(); ++flows_noted_) {
    const fabric::FlowSnapshot& flow = flows[flows_noted_];
    if (slice_->stations[flow.source] != 0)
      new_flows_.push_back({order(), {flow.source, flow.destination, flow.qpn}});
  }
}

}  // namespace softfeb::simulator
