// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/port_rules.hpp"

#include "base/bytes.hpp"
#include "fabric/checksum.hpp"
#include "fabric/facts.hpp"

namespace softfeb::fabric {

namespace {

constexpr std::size_t kIpv4TtlWord = 8;  // offset of the 16-bit word with TTL and protocol
constexpr std::size_t kIpv6HopLimit = 7;
constexpr std::uint32_t kOneTtl = 0x100;  // one unit of TTL in the word of TTL and protocol
constexpr std::uint16_t kVlanIdMask = 0x0fff;

/// Returns the VLAN identifier of a frame; 0 if the frame is untagged or tagged with a priority only.
std::uint16_t vlan_of(const Frame& frame) {
  return (frame.facts & kFactTagged) == 0
             ? std::uint16_t{0}
             : static_cast<std::uint16_t>(load_be16(frame.header + 14) & kVlanIdMask);
}

}  // namespace

std::unique_ptr<PortRules> PortRules::make(const SwitchConfig& sw, const LinkConfig& link) {
  if (sw.mtu == 0 && !sw.routes && !link.vlans) return nullptr;
  return std::unique_ptr<PortRules>(new PortRules(sw, link));
}

PortRules::PortRules(const SwitchConfig& sw, const LinkConfig& link)
    : mtu_(sw.mtu), mtu_counts_tag_(sw.mtu_counts_tag), routes_(sw.routes), untagged_(link.untagged) {
  if (!link.vlans) return;
  vlans_.emplace();
  for (const std::uint16_t vlan : *link.vlans) vlans_->set(vlan);
}

PortRules::Verdict PortRules::receive(Frame& frame) const {
  const std::size_t header = mtu_counts_tag_ ? roce::kEthernetSize : ip_offset(frame);
  if (mtu_ != 0 && frame.length > mtu_ + header) return Verdict::kOversize;
  if (!carries(frame)) return Verdict::kOtherVlan;
  const bool individual = frame.destination != kEverybody && frame.destination != kNobody;
  if (routes_ && individual && (frame.facts & (kFactIpv4 | kFactIpv6)) != 0 && !decrement_ttl(frame))
    return Verdict::kExpired;
  return Verdict::kPass;
}

bool PortRules::carries(const Frame& frame) const {
  if (!vlans_) return true;
  const std::uint16_t vlan = vlan_of(frame);
  return vlan == 0 ? untagged_ : vlans_->test(vlan);
}

bool decrement_ttl(Frame& frame) {
  std::uint8_t* const ip = frame.header + ip_offset(frame);
  if ((frame.facts & kFactIpv6) != 0) {
    if (ip[kIpv6HopLimit] <= 1) return false;
    --ip[kIpv6HopLimit];
    return true;
  }
  const std::uint32_t before = load_be16(ip + kIpv4TtlWord);
  if (before < 2 * kOneTtl) return false;
  const std::uint32_t after = before - kOneTtl;
  store_be16(ip + kIpv4TtlWord, static_cast<std::uint16_t>(after));
  update_ipv4_checksum(ip, before, after);
  return true;
}

}  // namespace softfeb::fabric
