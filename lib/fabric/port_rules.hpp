// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"
#include "fabric/frame.hpp"

#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>

namespace softfeb::fabric {

/// The rules by which a switch port drops frames: the MTU of the switch, the VLANs of the link and, if the
/// switch routes, the TTL.
class PortRules {
 public:
  /// Result of receive(): kPass, or the reason why the frame must not be forwarded.
  enum class Verdict : std::uint8_t { kPass, kOversize, kOtherVlan, kExpired };

  /// Returns null if a port of this switch and link has no rules.
  static std::unique_ptr<PortRules> make(const SwitchConfig& sw, const LinkConfig& link);

  /// Applies the rules to a received frame that is not a MAC control frame. If the switch routes and the
  /// frame is an IP packet with an individual destination address, decrements its TTL or hop limit.
  Verdict receive(Frame& frame) const;
  /// True if frames of the VLAN of `frame` may leave through the port. A frame without a tag, or with VLAN
  /// identifier 0, counts as untagged.
  bool carries(const Frame& frame) const;

 private:
  static constexpr std::size_t kVlanIds = 4096;

  PortRules(const SwitchConfig& sw, const LinkConfig& link);

  std::uint32_t mtu_;
  bool mtu_counts_tag_;
  bool routes_;
  bool untagged_;
  std::optional<std::bitset<kVlanIds>> vlans_;  ///< permitted VLANs; all if empty
};

/// Decrements the TTL or the hop limit of an IP packet, and updates the IPv4 checksum incrementally (RFC
/// 1624). Returns false, and changes nothing, if the new value would be 0 (RFC 1812, section 5.3.1). The iCRC
/// does not cover this field.
bool decrement_ttl(Frame& frame);

}  // namespace softfeb::fabric
