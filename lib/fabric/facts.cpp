// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/facts.hpp"

#include "base/bytes.hpp"
#include "roce/headers.hpp"
#include "roce/mac_control.hpp"
#include "roce/opcode.hpp"

#include <algorithm>

namespace softfeb::fabric {

namespace {

constexpr std::uint8_t kDontFragment = 0x40;

EntryFacts read_bth(Frame& frame, ByteSpan in) {
  const auto bth = roce::Bth::decode(in);
  if (!bth) return {};
  // A control frame of congestion control is neither data nor an acknowledgement, although its operation is
  // that of a SEND.
  if (frame.cch != 0 && bth->opcode == roce::kOpcodeCongestionControl) return {true, bth->dest_qp};
  if (bth->opcode == roce::kOpcodeRcAck) {
    frame.facts |= kFactAck;
  } else if (bth->opcode != roce::kOpcodeCnp && roce::is_request(roce::opcode_operation(bth->opcode))) {
    frame.facts |= kFactRequest;
  }
  return {true, bth->dest_qp};
}

EntryFacts read_udp(Frame& frame, ByteSpan udp, std::uint16_t cc_port) {
  if (udp.size() < roce::kUdpHeaderSize) return {};
  const std::uint16_t port = load_be16(&udp[2]);
  if (port == roce::kRoceUdpPort) return read_bth(frame, udp.subspan(roce::kUdpHeaderSize));
  if (port != cc_port) return {};
  frame.cch = static_cast<std::uint8_t>(udp.data() + roce::kUdpHeaderSize - frame.header);
  const ByteSpan content = cch_bytes(frame);
  const auto cch = roce::CongestionHeader::decode(content);
  return cch ? read_bth(frame, content.subspan(cch->size())) : EntryFacts{};
}

void note_traffic_class(Frame& frame, unsigned traffic_class, std::uint8_t fact) {
  frame.facts |= fact;
  frame.dscp = static_cast<std::uint8_t>(traffic_class >> 2);
  const unsigned ecn = traffic_class & 3;
  if (ecn == static_cast<unsigned>(roce::Ecn::kEct0) || ecn == static_cast<unsigned>(roce::Ecn::kEct1))
    frame.facts |= kFactEct;
}

EntryFacts read_ipv4(Frame& frame, ByteSpan ip, std::uint16_t cc_port) {
  if (ip.size() < roce::kIpv4Size || (ip[0] >> 4) != 4) return {};
  note_traffic_class(frame, ip[1], kFactIpv4);
  // Only packets without IPv4 options that are not fragmented can be RoCEv2 packets.
  const bool plain = ip[0] == 0x45 && (ip[6] & ~kDontFragment) == 0 && ip[7] == 0;
  if (!plain || ip[9] != roce::kIpProtocolUdp) return {};
  return read_udp(frame, ip.subspan(roce::kIpv4Size), cc_port);
}

EntryFacts read_ipv6(Frame& frame, ByteSpan ip, std::uint16_t cc_port) {
  if (ip.size() < roce::kIpv6Size || (ip[0] >> 4) != 6) return {};
  note_traffic_class(frame, (load_be16(&ip[0]) >> 4) & 0xff, kFactIpv6);
  if (ip[6] != roce::kIpProtocolUdp) return {};
  return read_udp(frame, ip.subspan(roce::kIpv6Size), cc_port);
}

}  // namespace

EntryFacts read_facts(Frame& frame, std::uint16_t cc_port) {
  frame.facts = 0;
  frame.cch = 0;
  frame.dscp = 0;
  frame.pcp = 0;
  const ByteSpan header(frame.header, std::min<std::size_t>(frame.header_length, frame.length));
  std::size_t at = roce::kEthernetSize;
  std::uint16_t type = load_be16(&header[12]);
  if (type == roce::kEtherTypeVlan) {
    if (header.size() < at + roce::kVlanTagSize) return {};
    frame.facts |= kFactTagged;
    frame.pcp = header[14] >> 5;
    type = load_be16(&header[16]);
    at += roce::kVlanTagSize;
  }
  if (type == roce::kEtherTypeIpv4) return read_ipv4(frame, header.subspan(at), cc_port);
  if (type == roce::kEtherTypeIpv6) return read_ipv6(frame, header.subspan(at), cc_port);
  if (type == roce::kEtherTypeMacControl) frame.facts |= kFactControl;
  return {};
}

MutableByteSpan cch_bytes(const Frame& frame) {
  // Distance in bytes from the length field of the UDP header to the UDP payload.
  constexpr std::size_t kLengthBefore = 4;
  const std::size_t present = std::min<std::size_t>(frame.header_length, frame.length);
  if (present < frame.cch) return {};
  const std::size_t datagram = load_be16(frame.header + frame.cch - kLengthBefore);
  const std::size_t content = datagram < roce::kUdpHeaderSize ? 0 : datagram - roce::kUdpHeaderSize;
  return {frame.header + frame.cch, std::min(present - frame.cch, content)};
}

std::optional<roce::MacControl> control_of(const Frame& frame) {
  const ByteSpan header(frame.header, std::min<std::size_t>(frame.header_length, frame.length));
  return roce::parse_mac_control(header.subspan(ip_offset(frame)));
}

}  // namespace softfeb::fabric
