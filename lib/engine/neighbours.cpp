// SPDX-License-Identifier: BSD-3-Clause
#include "engine/neighbours.hpp"

#include <algorithm>

namespace softfeb::engine {

NeighbourTable::Entry* NeighbourTable::lookup(const roce::IpAddress& ip) {
  const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(used_);
  const auto it = std::find_if(entries_.begin(), end, [&ip](const Entry& e) { return e.ip == ip; });
  return it == end ? nullptr : &*it;
}

NeighbourTable::Entry* NeighbourTable::room() {
  if (used_ < kCapacity) return &entries_[used_++];
  Entry* const oldest = &*std::min_element(
      entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.expires < b.expires; });
  return oldest->expires == kNever ? nullptr : oldest;
}

bool NeighbourTable::set_static(const roce::IpAddress& ip, const roce::MacAddress& mac) {
  Entry* e = lookup(ip);
  if (e == nullptr) e = room();
  if (e == nullptr) return false;
  *e = {ip, mac, kNever};
  return true;
}

void NeighbourTable::learn(const roce::IpAddress& ip, const roce::MacAddress& mac, Time now) {
  Entry* e = lookup(ip);
  if (e == nullptr) e = room();
  if (e == nullptr || (e->ip == ip && e->expires == kNever)) return;
  *e = {ip, mac, now + kLifetime};
}

std::optional<roce::MacAddress> NeighbourTable::find(const roce::IpAddress& ip, Time now) const {
  const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(used_);
  const auto it =
      std::find_if(entries_.begin(), end, [&](const Entry& e) { return e.ip == ip && e.expires > now; });
  if (it == end) return std::nullopt;
  return it->mac;
}

}  // namespace softfeb::engine
