// SPDX-License-Identifier: BSD-3-Clause
#include "engine/neighbour_discovery.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace softfeb::engine {

namespace {

constexpr std::uint8_t kSolicitation = 135;
constexpr std::uint8_t kAdvertisement = 136;
// A message with a lower hop limit was forwarded by a router and is discarded (RFC 4861, section 7.1).
constexpr std::uint8_t kHopLimit = 255;
constexpr std::size_t kFixedPart = 24;  // type, code, checksum, flags, target
constexpr std::size_t kLongest = 256;   // longer messages are ignored
constexpr std::uint32_t kSolicitedAndOverride = 0x6000'0000;

/// Returns the link-layer address option of type `wanted`; nullopt if missing or malformed.
std::optional<roce::MacAddress> link_option(ByteSpan options, std::uint8_t wanted) {
  while (options.size() >= 8) {
    const std::size_t length = std::size_t{options[1]} * 8;
    if (length == 0 || length > options.size()) return std::nullopt;
    if (options[0] == wanted && length == 8) {
      roce::MacAddress mac;
      std::copy_n(options.begin() + 2, mac.size(), mac.begin());
      return mac;
    }
    options = options.subspan(length);
  }
  return std::nullopt;
}

void write_message(const Identity& self, std::uint8_t type, std::uint32_t flags,
                   const roce::IpAddress& target, const roce::IpAddress& to, std::uint8_t* out) {
  constexpr std::size_t kMessage = kNeighbourMessageSize - roce::kIpv6Size;
  std::memset(out, 0, kNeighbourMessageSize);
  out[0] = 0x60;
  store_be16(out + 4, kMessage);
  out[6] = roce::kIpProtocolIcmpv6;
  out[7] = kHopLimit;
  std::copy(self.ip.bytes.begin(), self.ip.bytes.end(), out + 8);
  std::copy(to.bytes.begin(), to.bytes.end(), out + 24);
  std::uint8_t* const m = out + roce::kIpv6Size;
  m[0] = type;
  store_be32(m + 4, flags);
  std::copy(target.bytes.begin(), target.bytes.end(), m + 8);
  m[24] = type == kSolicitation ? 1 : 2;  // option type: source or target link-layer address
  m[25] = 1;
  std::copy(self.mac.begin(), self.mac.end(), m + 26);
  store_be16(m + 2, icmpv6_checksum(self.ip, to, ByteSpan(m, kMessage)));
}

}  // namespace

roce::IpAddress solicited_node(const roce::IpAddress& target) {
  roce::IpAddress group;
  group.bytes = {0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff};
  std::copy(target.bytes.begin() + 13, target.bytes.end(), group.bytes.begin() + 13);
  return group;
}

roce::MacAddress multicast_mac(const roce::IpAddress& group) {
  roce::MacAddress mac{0x33, 0x33};
  std::copy(group.bytes.begin() + 12, group.bytes.end(), mac.begin() + 2);
  return mac;
}

std::uint16_t icmpv6_checksum(const roce::IpAddress& source, const roce::IpAddress& dest, ByteSpan message) {
  std::uint32_t sum = roce::checksum_add(0, source.bytes);
  sum = roce::checksum_add(sum, dest.bytes);
  sum += static_cast<std::uint32_t>(message.size()) + roce::kIpProtocolIcmpv6;
  return roce::internet_checksum(message, sum);
}

std::optional<NeighbourMessage> parse_neighbour_message(const roce::ParsedFrame& frame) {
  std::array<std::uint8_t, roce::kIpv6Size> ip;
  std::array<std::uint8_t, kLongest> bytes;
  if (frame.dest_ip.is_v4() || frame.content.size() > kLongest ||
      frame.datagram.copy(0, ip.size(), ip.data()) < ip.size() || ip[7] != kHopLimit) {
    return std::nullopt;
  }
  const ByteSpan message(bytes.data(), frame.content.copy(0, kLongest, bytes.data()));
  if (message.size() < kFixedPart || message[1] != 0 ||
      (message[0] != kSolicitation && message[0] != kAdvertisement) ||
      icmpv6_checksum(frame.source_ip, frame.dest_ip, message) != 0) {
    return std::nullopt;
  }
  NeighbourMessage m;
  m.solicitation = message[0] == kSolicitation;
  m.target = roce::IpAddress::from_v6_wire(&message[8]);
  m.source = frame.source_ip;
  m.link_address = link_option(message.subspan(kFixedPart), m.solicitation ? 1 : 2);
  return m;
}

void write_solicitation(const Identity& self, const roce::IpAddress& target, std::uint8_t* out) {
  write_message(self, kSolicitation, 0, target, solicited_node(target), out);
}

void write_advertisement(const Identity& self, const roce::IpAddress& to, std::uint8_t* out) {
  write_message(self, kAdvertisement, kSolicitedAndOverride, self.ip, to, out);
}

std::optional<roce::IpAddress> solicited_target(const roce::ParsedFrame& frame) {
  if (frame.dest_ip.bytes[0] != 0xff) return std::nullopt;
  std::array<std::uint8_t, kFixedPart> m;
  if (frame.content.copy(0, m.size(), m.data()) < m.size() || m[0] != kSolicitation) return std::nullopt;
  return roce::IpAddress::from_v6_wire(&m[8]);
}

}  // namespace softfeb::engine
