// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "engine/identity.hpp"
#include "roce/frame.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

/// The subset of IPv6 neighbour discovery (RFC 4861) that an endpoint needs: parses and writes solicitations
/// and advertisements. The counterpart of ARP.
namespace softfeb::engine {

/// Bytes of a solicitation or advertisement with its link-layer address option, from the IPv6 header on.
inline constexpr std::size_t kNeighbourMessageSize = roce::kIpv6Size + 32;

/// Destination of a solicitation for `target`: its solicited-node multicast address, and the MAC address of a
/// multicast address.
roce::IpAddress solicited_node(const roce::IpAddress& target);
roce::MacAddress multicast_mac(const roce::IpAddress& group);

/// A solicitation or advertisement that passed validation: hop limit 255, correct checksum, complete.
struct NeighbourMessage {
  bool solicitation = false;
  roce::IpAddress target;
  roce::IpAddress source;
  /// Of the sender (solicitation) or of the target (advertisement).
  std::optional<roce::MacAddress> link_address;
};
std::optional<NeighbourMessage> parse_neighbour_message(const roce::ParsedFrame& frame);

/// Write a solicitation for `target`, and the answer to a solicitation from `to`; kNeighbourMessageSize bytes
/// each.
void write_solicitation(const Identity& self, const roce::IpAddress& target, std::uint8_t* out);
void write_advertisement(const Identity& self, const roce::IpAddress& to, std::uint8_t* out);

/// Checksum of an ICMPv6 message whose checksum field is 0. Over a message with a correct checksum the result
/// is 0.
std::uint16_t icmpv6_checksum(const roce::IpAddress& source, const roce::IpAddress& dest, ByteSpan message);

/// The target address of a neighbour solicitation sent to a multicast address; nullopt for other packets.
std::optional<roce::IpAddress> solicited_target(const roce::ParsedFrame& frame);

}  // namespace softfeb::engine
