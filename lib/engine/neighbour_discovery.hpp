// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "engine/identity.hpp"
#include "roce/frame.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

/// IPv6 neighbour discovery (RFC 4861) as far as an address needs it: solicitations answered and sent. What
/// ARP is to IPv4.
namespace softfeb::engine {

/// Bytes of a solicitation or advertisement with its link-layer address option, from the IPv6 header on.
inline constexpr std::size_t kNeighbourMessageSize = roce::kIpv6Size + 32;

/// Where a solicitation for `target` goes: the solicited-node multicast address and its MAC address.
roce::IpAddress solicited_node(const roce::IpAddress& target);
roce::MacAddress multicast_mac(const roce::IpAddress& group);

/// A solicitation or advertisement that can be believed: hop limit 255, checksum right, whole.
struct NeighbourMessage {
  bool solicitation = false;
  roce::IpAddress target;
  roce::IpAddress source;
  std::optional<roce::MacAddress>
      link_address;  ///< of the sender (solicitation) or the target (advertisement)
};
std::optional<NeighbourMessage> parse_neighbour_message(const roce::ParsedFrame& frame);

/// Writes a solicitation for `target`, or the answer to one that came from `to`; kNeighbourMessageSize bytes.
void write_solicitation(const Identity& self, const roce::IpAddress& target, std::uint8_t* out);
void write_advertisement(const Identity& self, const roce::IpAddress& to, std::uint8_t* out);

/// Checksum of an ICMPv6 message whose checksum field is 0 (or, over one that is right: 0).
std::uint16_t icmpv6_checksum(const roce::IpAddress& source, const roce::IpAddress& dest, ByteSpan message);

/// True for a packet to the solicited-node address of somebody: it belongs to whom it asks for.
std::optional<roce::IpAddress> solicited_target(const roce::ParsedFrame& frame);

}  // namespace softfeb::engine
