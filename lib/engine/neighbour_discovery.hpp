// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "engine/identity.hpp"
#include "roce/frame.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

/// The subset of IPv6 neighbour discovery (RFC 4861) that an endpoint needs in place of ARP: parses and
/// writes solicitations and advertisements.
namespace softfeb::engine {

/// Size of a solicitation or advertisement with its link-layer address option, including the IPv6 header.
inline constexpr std::size_t kNeighbourMessageSize = roce::kIpv6Size + 32;

/// The IP and MAC addresses to which a solicitation is sent. solicited_node() returns the solicited-node
/// multicast address of `target`. multicast_mac() returns the MAC address of a multicast group.
roce::IpAddress solicited_node(const roce::IpAddress& target);
roce::MacAddress multicast_mac(const roce::IpAddress& group);

/// A complete solicitation or advertisement with hop limit 255 and a correct checksum.
struct NeighbourMessage {
  bool solicitation = false;
  roce::IpAddress target;
  roce::IpAddress source;
  /// MAC address of the sender (solicitation) or of the target (advertisement); std::nullopt if the message
  /// does not contain it.
  std::optional<roce::MacAddress> link_address;
};
std::optional<NeighbourMessage> parse_neighbour_message(const roce::ParsedFrame& frame);

/// write_solicitation() writes a solicitation for `target`. write_advertisement() writes an advertisement in
/// reply to a solicitation from `to`. Both write kNeighbourMessageSize bytes.
void write_solicitation(const Identity& self, const roce::IpAddress& target, std::uint8_t* out);
void write_advertisement(const Identity& self, const roce::IpAddress& to, std::uint8_t* out);

/// Checksum of an ICMPv6 message whose checksum field is 0. Returns 0 if the message contains a correct
/// checksum.
std::uint16_t icmpv6_checksum(const roce::IpAddress& source, const roce::IpAddress& dest, ByteSpan message);

/// Returns the target address of a neighbour solicitation sent to a multicast address; nullopt for other
/// packets.
std::optional<roce::IpAddress> solicited_target(const roce::ParsedFrame& frame);

}  // namespace softfeb::engine
