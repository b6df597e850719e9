// SPDX-License-Identifier: BSD-3-Clause
#include "roce/frame.hpp"

#include "roce/icrc.hpp"

#include <array>
#include <cstring>

namespace softfeb::roce {

namespace {

std::uint32_t folded(std::uint32_t sum) {
  while ((sum >> 16) != 0) sum = (sum & 0xffff) + (sum >> 16);
  return sum;
}

/// Checksum over ranges of any length. A range at an odd offset contributes its byte-swapped sum (RFC 1071).
std::uint32_t checksum_of(std::uint32_t sum, const Segments& data) {
  bool odd = false;
  data.for_each([&](ByteSpan part) {
    std::uint32_t s = folded(checksum_add(0, part));
    if (odd) s = ((s & 0xff) << 8) | (s >> 8);
    sum += s;
    if ((part.size() & 1) != 0) odd = !odd;
  });
  return sum;
}

/// Verifies a UDP checksum. With checksum offload, the kernel stores only the sum of the pseudo header in
/// the field and leaves the rest to the interface. Virtual interfaces on the same host (veth, tap, virtio)
/// pass this incomplete value on unchanged. The incomplete value is accepted, because such a frame has not
/// crossed a wire that could corrupt it.
bool udp_checksum_holds(const ParsedFrame& f, const Segments& udp, std::uint16_t field) {
  std::array<std::uint8_t, 4> pseudo{0, kIpProtocolUdp, 0, 0};
  store_be16(&pseudo[2], static_cast<std::uint16_t>(udp.size()));
  std::uint32_t sum = checksum_add(0, pseudo);
  const std::size_t skip = f.source_ip.is_v4() ? 12 : 0;
  sum = checksum_add(sum, ByteSpan(f.source_ip.bytes).subspan(skip));
  sum = checksum_add(sum, ByteSpan(f.dest_ip.bytes).subspan(skip));
  return folded(checksum_of(sum, udp)) == 0xffff || folded(sum) == field;
}

/// A byte range of a frame.
struct Range {
  std::size_t at;
  std::size_t size;
};

void parse_udp(ParsedFrame& f, const Segments& frame, Range udp) {
  if (udp.size < kUdpHeaderSize) return;
  std::array<std::uint8_t, kUdpHeaderSize> scratch;
  const std::uint8_t* const h = frame.piece(udp.at, scratch.size(), scratch.data());
  if (h == nullptr || load_be16(h + 4) != udp.size) return;
  const std::uint16_t checksum = load_be16(h + 6);
  // RoCEv2 also allows a UDP checksum of 0 over IPv6 (RFC 6936), because the iCRC protects the packet.
  if (checksum != 0 && !udp_checksum_holds(f, frame.sub(udp.at, udp.size), checksum)) return;
  f.source_port = load_be16(h);
  f.dest_port = load_be16(h + 2);
  f.content = frame.sub(udp.at + kUdpHeaderSize, udp.size - kUdpHeaderSize);
  f.kind = FrameKind::kUdp;
}

void parse_ip_content(ParsedFrame& f, std::uint8_t protocol, const Segments& frame, Range content) {
  if (protocol == kIpProtocolUdp) {
    parse_udp(f, frame, content);
  } else if (protocol == kIpProtocolIcmp || protocol == kIpProtocolIcmpv6) {
    f.content = frame.sub(content.at, content.size);
    f.kind = FrameKind::kIcmp;
  } else {
    f.kind = FrameKind::kOther;
  }
}

/// Verifies the checksum of an IPv4 header without options.
bool ipv4_checksum_holds(const std::uint8_t* h) {
  const std::uint64_t a = load_le64(h);
  const std::uint64_t b = load_le64(h + 8);
  std::uint64_t sum = (a & UINT32_MAX) + (a >> 32) + (b & UINT32_MAX) + (b >> 32) + load_le32(h + 16);
  for (int i = 0; i < 4; ++i) sum = (sum & 0xffff) + (sum >> 16);
  return sum == 0xffff;
}

void parse_ipv4(ParsedFrame& f, const Segments& frame, std::size_t at) {
  std::array<std::uint8_t, kIpv4Size> scratch;
  const std::uint8_t* const h = frame.piece(at, scratch.size(), scratch.data());
  if (h == nullptr || (h[0] >> 4) != 4) return;
  const std::size_t total = load_be16(h + 2);
  if (total < kIpv4Size || total > frame.size() - at) return;
  if ((h[0] & 0x0f) != 5) {  // the header has options, or its length is below the minimum
    if ((h[0] & 0x0f) > 5) f.kind = FrameKind::kOther;
    return;
  }
  if (!ipv4_checksum_holds(h)) return;
  f.source_ip = IpAddress::from_v4_wire(h + 12);
  f.dest_ip = IpAddress::from_v4_wire(h + 16);
  f.congestion_experienced = (h[1] & 3) == static_cast<unsigned>(Ecn::kCe);
  f.may_fragment = (load_be16(h + 6) & 0x4000) == 0;
  f.datagram = frame.sub(at, total);
  if ((load_be16(h + 6) & 0x3fff) != 0) {  // MF set, or fragment offset not 0
    f.kind = FrameKind::kOther;
    return;
  }
  parse_ip_content(f, h[9], frame, {at + kIpv4Size, total - kIpv4Size});
}

void parse_ipv6(ParsedFrame& f, const Segments& frame, std::size_t at) {
  std::array<std::uint8_t, kIpv6Size> scratch;
  const std::uint8_t* const h = frame.piece(at, scratch.size(), scratch.data());
  if (h == nullptr || (h[0] >> 4) != 6) return;
  const std::size_t total = kIpv6Size + load_be16(h + 4);
  if (total > frame.size() - at) return;
  f.source_ip = IpAddress::from_v6_wire(h + 8);
  f.dest_ip = IpAddress::from_v6_wire(h + 24);
  // IPv4-mapped addresses are the internal representation of IPv4. An IPv4-mapped address in a received
  // IPv6 packet would be mistaken for IPv4 (RFC 4038, section 4.2).
  if (f.source_ip.is_v4() || f.dest_ip.is_v4()) {
    f.source_ip = f.dest_ip = IpAddress{};
    f.kind = FrameKind::kOther;
    return;
  }
  f.congestion_experienced = ((h[1] >> 4) & 3) == static_cast<unsigned>(Ecn::kCe);
  f.datagram = frame.sub(at, total);
  parse_ip_content(f, h[6], frame, {at + kIpv6Size, total - kIpv6Size});
}

/// Parses a MAC control frame. A tagged frame is kOther, because MAC control frames must be untagged. A frame
/// too short for its opcode is kMalformed.
void parse_control(ParsedFrame& f, const Segments& rest, bool untagged) {
  std::array<std::uint8_t, 2> opcode;
  if (rest.copy(0, opcode.size(), opcode.data()) < opcode.size()) return;
  const std::uint16_t what = load_be16(opcode.data());
  if (!untagged || (what != kOpcodePause && what != kOpcodePfc)) {
    f.kind = FrameKind::kOther;
    return;
  }
  if (!parse_mac_control(rest)) return;
  f.content = rest;
  f.kind = FrameKind::kMacControl;
}

/// Fast path for most frames. Most frames contain untagged IPv4 with DF and without options, UDP without a
/// checksum, and no Ethernet padding. All headers are in the first range and are followed there by at least
/// one more byte. If the function returns false, `f` is unchanged and parse_any() must parse the frame.
bool parse_plain(const Segments& frame, ParsedFrame& f) {
  constexpr std::size_t kHeaders = kEthernetSize + kIpv4Size + kUdpHeaderSize;
  constexpr std::uint32_t kTypeAndVersion = 0x0800'4500, kAllButTos = 0xffff'ff00, kDontFragment = 0x4000;
  if (frame.count() == 0 || frame.part(0).size() <= kHeaders) return false;
  const std::uint8_t* const h = frame.part(0).data();
  const std::uint8_t* const ip = h + kEthernetSize;
  const std::uint8_t* const udp = ip + kIpv4Size;
  const std::size_t total = frame.size() - kEthernetSize;
  if ((load_be32(h + 12) & kAllButTos) != kTypeAndVersion || load_be16(ip + 2) != total ||
      (load_be16(ip + 6) & 0x7fff) != kDontFragment || ip[9] != kIpProtocolUdp ||
      load_be16(udp + 4) != total - kIpv4Size || load_be16(udp + 6) != 0 || !ipv4_checksum_holds(ip))
    return false;
  f.kind = FrameKind::kUdp;
  std::memcpy(f.dest_mac.data(), h, f.dest_mac.size());
  std::memcpy(f.source_mac.data(), h + 6, f.source_mac.size());
  f.vlan.reset();
  f.source_ip = IpAddress::from_v4_wire(ip + 12);
  f.dest_ip = IpAddress::from_v4_wire(ip + 16);
  f.congestion_experienced = (ip[1] & 3) == static_cast<unsigned>(Ecn::kCe);
  f.may_fragment = false;
  f.icrc_right = false;
  f.source_port = load_be16(udp);
  f.dest_port = load_be16(udp + 2);
  f.datagram.assign_behind(frame, kEthernetSize);
  f.content.assign_behind(frame, kHeaders);
  return true;
}

ParsedFrame parse_any(const Segments& frame) {
  ParsedFrame f;
  std::array<std::uint8_t, kEthernetSize> scratch;
  const std::uint8_t* const h = frame.piece(0, scratch.size(), scratch.data());
  if (h == nullptr) return f;
  std::memcpy(f.dest_mac.data(), h, 6);
  std::memcpy(f.source_mac.data(), h + 6, 6);
  std::uint16_t ether_type = load_be16(h + 12);
  std::size_t at = kEthernetSize;
  if (ether_type == kEtherTypeVlan) {
    std::array<std::uint8_t, kVlanTagSize> room;
    const std::uint8_t* const tag = frame.piece(at, room.size(), room.data());
    if (tag == nullptr) return f;
    const std::uint16_t tci = load_be16(tag);
    // A tag with VLAN identifier 0 carries only a priority and no VLAN (IEEE 802.1Q, section 6.9.1).
    if ((tci & 0xfff) != 0)
      f.vlan = VlanTag{static_cast<std::uint16_t>(tci & 0xfff), static_cast<std::uint8_t>(tci >> 13)};
    ether_type = load_be16(tag + 2);
    at += kVlanTagSize;
  }
  switch (ether_type) {
    case kEtherTypeIpv4:
      parse_ipv4(f, frame, at);
      break;
    case kEtherTypeIpv6:
      parse_ipv6(f, frame, at);
      break;
    case kEtherTypeArp:
      f.content = frame.sub(at, frame.size() - at);
      f.kind = FrameKind::kArp;
      break;
    case kEtherTypeMacControl:
      parse_control(f, frame.sub(at, frame.size() - at), at == kEthernetSize);
      break;
    default:
      f.kind = FrameKind::kOther;
  }
  return f;
}

}  // namespace

void parse_frame(const Segments& frame, ParsedFrame& out) {
  if (!parse_plain(frame, out)) out = parse_any(frame);
}

ParsedFrame parse_frame(const Segments& frame) {
  ParsedFrame f;
  parse_frame(frame, f);
  return f;
}

bool icrc_matches(const ParsedFrame& frame) {
  if (frame.content.size() < kIcrcSize || frame.datagram.size() < kIcrcSize) return false;
  if (frame.icrc_right) return true;
  std::array<std::uint8_t, kIcrcSize> scratch;
  const ByteSpan end = frame.datagram.part(frame.datagram.count() - 1);
  const std::uint8_t* wire = scratch.data();
  if (end.size() >= kIcrcSize) {
    wire = end.data() + end.size() - kIcrcSize;
  } else {
    frame.datagram.copy(frame.datagram.size() - kIcrcSize, kIcrcSize, scratch.data());
  }
  return icrc_of(frame.datagram.without_last(kIcrcSize)) == load_le32(wire);
}

Segments transport_bytes(const ParsedFrame& frame) { return frame.content.without_last(kIcrcSize); }

}  // namespace softfeb::roce
