// SPDX-License-Identifier: BSD-3-Clause
#include "engine/demux.hpp"

#include "engine/neighbour_discovery.hpp"

#include <array>

namespace softfeb::engine {

std::size_t Demux::hash(const Key& key) {
  const std::uint64_t a = load_be64(&key.ip.bytes[0]);
  const std::uint64_t b = load_be64(&key.ip.bytes[8]);
  return static_cast<std::size_t>(((a * 31) ^ b ^ key.vlan) * 0x9e3779b97f4a7c15ULL >> 32);
}

std::uint32_t Demux::look_up(const Key& key) const {
  if (slots_.empty()) return kNobody;
  for (std::size_t i = hash(key) & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
    if (slots_[i].endpoint == kNobody) return kNobody;
    if (slots_[i].key == key) return slots_[i].endpoint;
  }
}

void Demux::place(const Key& key, std::uint32_t endpoint) {
  std::size_t i = hash(key) & (slots_.size() - 1);
  while (slots_[i].endpoint != kNobody) i = (i + 1) & (slots_.size() - 1);
  slots_[i] = {key, endpoint};
}

bool Demux::insert(const Identity& identity, std::uint32_t endpoint) {
  const Key key{identity.vlan ? identity.vlan->id : std::uint16_t{0}, identity.ip};
  if (look_up(key) != kNobody) return false;
  if ((used_ + 1) * 2 > slots_.size()) {
    std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& s : old) {
      if (s.endpoint != kNobody) place(s.key, s.endpoint);
    }
  }
  place(key, endpoint);
  ++used_;
  const Station station{identity.mac, endpoint};
  macs_.insert(std::upper_bound(macs_.begin(), macs_.end(), station), station);
  return true;
}

std::uint32_t Demux::find(const roce::ParsedFrame& frame) const {
  const std::uint16_t vlan = frame.vlan ? frame.vlan->id : std::uint16_t{0};
  switch (frame.kind) {
    case roce::FrameKind::kIcmp:
      // A neighbour solicitation is sent to a multicast address; look up its target address.
      if (const auto target = solicited_target(frame)) return look_up({vlan, *target});
      [[fallthrough]];
    case roce::FrameKind::kUdp:
      return look_up({vlan, frame.dest_ip});
    case roce::FrameKind::kArp: {
      std::array<std::uint8_t, 28> arp;
      if (frame.content.copy(0, arp.size(), arp.data()) < arp.size()) return kNobody;
      return look_up({vlan, roce::IpAddress::from_v4_wire(&arp[24])});
    }
    default:
      return kNobody;
  }
}

}  // namespace softfeb::engine
