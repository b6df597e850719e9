// SPDX-License-Identifier: BSD-3-Clause
// Resolves the MAC addresses that a board sends to: sends requests for next hops and handles the replies.
#include "engine/board.hpp"

#include <algorithm>

namespace softfeb::engine {

/// Registers that QP `i`, which must be the newest QP, needs the MAC address of `hop`.
void Board::await_hop(std::uint32_t i, const roce::IpAddress& hop) {
  const std::uint32_t h = hops_.add(hop);
  waiting_.resize(hops_.size());
  Waiting& list = waiting_[h];
  if (list.last != kNoRun) {
    WaitingRun& last = waiting_runs_[list.last];
    if (last.first + last.count == i) {
      ++last.count;
      return;
    }
  }
  const auto run = static_cast<std::uint32_t>(waiting_runs_.size());
  waiting_runs_.push_back({.first = i, .count = 1});
  (list.last == kNoRun ? list.first : waiting_runs_[list.last].behind) = run;
  list.last = run;
}

template <typename Do>
void Board::for_each_waiting(std::uint32_t hop, Do&& act) {
  for (std::uint32_t r = waiting_[hop].first; r != kNoRun; r = waiting_runs_[r].behind) {
    const WaitingRun& run = waiting_runs_[r];
    for (std::uint32_t i = run.first; i < run.first + run.count; ++i) act(i);
  }
}

void Board::neighbour_learned(const roce::IpAddress& ip, Time now) {
  const auto mac = host_.neighbours().find(ip, now);
  if (!mac) return;
  if (const std::uint32_t hop = hops_.find(ip); hop != NextHops::kNone && !hops_.known(hop))
    hop_resolved(hop, *mac, now);
  bus_qps_.neighbour_learned(ip, *mac, now);
  if (generator_) generator_->hop().learned(ip, *mac);
}

void Board::hop_resolved(std::uint32_t hop, const roce::MacAddress& mac, Time now) {
  hops_.learned(hop, now);
  for_each_waiting(hop, [&](std::uint32_t i) {
    qps_[i].set_dest_mac(mac);
    reschedule(i, now);
  });
}

void Board::give_up(std::uint32_t hop, Time now) {
  ++incidents_;
  for_each_waiting(hop, [&](std::uint32_t i) {
    qps_[i].requester().set_state(roce::QpState::kErr, now);
    reschedule(i, now);
  });
}

/// Applies static neighbour entries, which need no request. They are usually set before the board starts.
void Board::apply_static_neighbours(Time now) {
  if (host_.neighbours().static_changes() == static_changes_) return;
  static_changes_ = host_.neighbours().static_changes();
  for (std::uint32_t h = 0; h < hops_.size(); ++h) {
    if (hops_.known(h)) continue;
    if (const auto mac = host_.neighbours().find(hops_.ip(h), now)) hop_resolved(h, *mac, now);
  }
}

std::size_t Board::unresolved() const {
  const bool generator = generator_ && generator_->unresolved();
  return hops_.unknown() + (bus_qps_.unresolved() ? 1 : 0) + (generator ? 1 : 0);
}

/// Sends due requests. Requests take precedence over replies because the number of requests is bounded,
/// whereas the number of replies depends on other hosts.
std::size_t Board::poll_requests(Time now, std::span<TxFrame> out) {
  const bool generator = generator_ && generator_->hop().request_at() <= now;
  if (hops_.unknown() == 0 && bus_qps_.neighbour_request_at() > now && !generator) return 0;
  apply_static_neighbours(now);
  hops_.advance(now, [&](std::uint32_t hop) { give_up(hop, now); });
  if (control_open_at() > now) return 0;
  std::size_t n = 0;
  if (n < out.size() && bus_qps_.take_neighbour_request(now))
    host_.write_request(bus_qps_.next_hop(), out[n++]);
  if (n < out.size() && generator && generator_->hop().take_request(host_.neighbours(), now))
    host_.write_request(generator_->hop().ip(), out[n++]);
  while (n < out.size()) {
    const std::uint32_t hop = hops_.next_request(now);
    if (hop == NextHops::kNone) break;
    host_.write_request(hops_.ip(hop), out[n++]);
  }
  return n;
}

/// Time at which poll_requests() has work; kNever if there is none.
Time Board::request_event(Time now) const {
  Time at = std::min(hops_.next_event(now), bus_qps_.neighbour_request_at());
  if (generator_) at = std::min(at, generator_->hop().request_at());
  return at == kNever ? kNever : std::max(at, control_open_at());
}

}  // namespace softfeb::engine
