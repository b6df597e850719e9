// SPDX-License-Identifier: BSD-3-Clause
#include "engine/neighbours.hpp"

namespace softfeb::engine {

std::uint32_t NeighbourTable::look_up(const std::vector<Entry>& entries, const HashChains& by_ip,
                                      const roce::IpAddress& ip) {
  return by_ip.find(hash_of(ip), [&](std::uint32_t i) { return entries[i].ip == ip; });
}

void NeighbourTable::set_static(const roce::IpAddress& ip, const roce::MacAddress& mac) {
  ++static_changes_;
  if (const std::uint32_t i = look_up(statics_, statics_by_ip_, ip); i != HashChains::kNone) {
    statics_[i].mac = mac;
    return;
  }
  statics_.push_back({ip, mac});
  if (statics_.size() <= statics_by_ip_.room()) {
    statics_by_ip_.insert(hash_of(ip), static_cast<std::uint32_t>(statics_.size() - 1));
    return;
  }
  statics_by_ip_.reserve(2 * statics_.size());
  for (std::uint32_t i = 0; i < statics_.size(); ++i) statics_by_ip_.insert(hash_of(statics_[i].ip), i);
}

std::uint32_t NeighbourTable::make_room() {
  if (used_ < kLearned) return static_cast<std::uint32_t>(used_++);
  const auto i = static_cast<std::uint32_t>(oldest_);
  oldest_ = (oldest_ + 1) % kLearned;
  learned_by_ip_.erase(hash_of(learned_[i].ip), i);
  return i;
}

void NeighbourTable::learn(const roce::IpAddress& ip, const roce::MacAddress& mac, Time now) {
  std::uint32_t i = look_up(learned_, learned_by_ip_, ip);
  if (i == HashChains::kNone) {
    i = make_room();
    learned_by_ip_.insert(hash_of(ip), i);
  }
  learned_[i] = {ip, mac, now + kLifetime};
}

std::optional<roce::MacAddress> NeighbourTable::find(const roce::IpAddress& ip, Time now) const {
  if (const std::uint32_t i = look_up(statics_, statics_by_ip_, ip); i != HashChains::kNone)
    return statics_[i].mac;
  const std::uint32_t i = look_up(learned_, learned_by_ip_, ip);
  if (i == HashChains::kNone || learned_[i].expires <= now) return std::nullopt;
  return learned_[i].mac;
}

}  // namespace softfeb::engine
