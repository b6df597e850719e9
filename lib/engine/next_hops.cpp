// SPDX-License-Identifier: BSD-3-Clause
#include "engine/next_hops.hpp"

#include "engine/identity.hpp"

#include <algorithm>

namespace softfeb::engine {

roce::IpAddress Identity::next_hop(const roce::IpAddress& destination) const {
  if (!gateway) return destination;
  const unsigned bits = prefix_length + (ip.is_v4() ? 96U : 0U);
  for (unsigned i = 0; i < bits; ++i) {
    const std::uint8_t mask = static_cast<std::uint8_t>(0x80 >> (i % 8));
    if (((ip.bytes[i / 8] ^ destination.bytes[i / 8]) & mask) != 0) return *gateway;
  }
  return destination;
}

std::uint32_t NextHops::add(const roce::IpAddress& ip) {
  if (const std::uint32_t i = find(ip); i != kNone) return i;
  const auto made = static_cast<std::uint32_t>(hops_.size());
  hops_.push_back({.ip = ip});
  ++unknown_;
  link(waiting_, State::kWaiting, made);
  if (hops_.size() <= by_ip_.room()) {
    by_ip_.insert(hash_of(ip), made);
    return made;
  }
  by_ip_.reserve(2 * hops_.size());
  for (std::uint32_t i = 0; i <= made; ++i) by_ip_.insert(hash_of(hops_[i].ip), i);
  return made;
}

std::uint32_t NextHops::find(const roce::IpAddress& ip) const {
  return by_ip_.find(hash_of(ip), [&](std::uint32_t i) { return hops_[i].ip == ip; });
}

void NextHops::link(List& list, State state, std::uint32_t i) {
  Hop& hop = hops_[i];
  hop.state = state;
  hop.before = list.last;
  hop.behind = kNone;
  (list.last == kNone ? list.first : hops_[list.last].behind) = i;
  list.last = i;
}

void NextHops::unlink(std::uint32_t i) {
  Hop& hop = hops_[i];
  if (hop.in_window) end_wait(i);
  List& list = hop.state == State::kWaiting ? waiting_ : asked_;
  (hop.before == kNone ? list.first : hops_[hop.before].behind) = hop.behind;
  (hop.behind == kNone ? list.last : hops_[hop.behind].before) = hop.before;
}

/// Stops counting next hop `i` towards kTogether. The next hop stays in its list.
void NextHops::end_wait(std::uint32_t i) {
  if (window_ == i) window_ = hops_[i].behind;
  hops_[i].in_window = false;
  --together_;
}

void NextHops::leave_window(Time now) {
  while (window_ != kNone && hops_[window_].asked_at + kPatience <= now) end_wait(window_);
}

void NextHops::learned(std::uint32_t i, Time now) {
  if (hops_[i].state == State::kWaiting || hops_[i].state == State::kAsked) unlink(i);
  hops_[i].state = State::kKnown;
  if (--unknown_ == 0) ended_ = now;
}

std::uint32_t NextHops::next_request(Time now) {
  const std::uint32_t i = waiting_.first;
  if (i == kNone || together_ == kTogether) return kNone;
  unlink(i);
  Hop& hop = hops_[i];
  hop.asked_at = now;
  ++hop.tries;
  hop.in_window = true;
  ++together_;
  link(asked_, State::kAsked, i);
  if (window_ == kNone) window_ = i;
  if (began_ == kNever) began_ = now;
  return i;
}

Time NextHops::next_event(Time now) const {
  Time at = asked_.first == kNone ? kNever : hops_[asked_.first].asked_at + kRetry;
  if (waiting_.first == kNone) return at;
  if (together_ < kTogether) return now;
  return std::min(at, hops_[window_].asked_at + kPatience);
}

Time NextHops::took() const {
  if (unknown_ != 0) return kNever;
  return began_ == kNever ? 0 : ended_ - began_;
}

}  // namespace softfeb::engine
