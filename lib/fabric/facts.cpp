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

EntryFacts read_bth(Frame& frame, ByteSpan udp) {
  if (udp.size() < roce::kUdpHeaderSize + roce::Bth::kSize || load_be16(&udp[2]) != roce::kRoceUdpPort)
    return {};
  const auto bth = roce::Bth::decode(udp.subspan(roce::kUdpHeaderSize));
  if (!bth) return {};
  if (bth->opcode == roce::kOpcodeRcAck) {
    frame.facts |= kFactAck;
  } else if (bth->opcode != roce::kOpcodeCnp && roce::is_request(roce::opcode_operation(bth->opcode))) {
    frame.facts |= kFactRequest;
  }
  return {true, bth->dest_qp};
}

void note_traffic_class(Frame& frame, unsigned traffic_class, std::uint8_t fact) {
  frame.facts |= fact;
  frame.dscp = static_cast<std::uint8_t>(traffic_class >> 2);
  const unsigned ecn = traffic_class & 3;
  if (ecn == static_cast<unsigned>(roce::Ecn::kEct0) || ecn == static_cast<unsigned>(roce::Ecn::kEct1))
    frame.facts |= kFactEct;
}

EntryFacts read_ipv4(Frame& frame, ByteSpan ip) {
  if (ip.size() < roce::kIpv4Size || (ip[0] >> 4) != 4) return {};
  note_traffic_class(frame, ip[1], kFactIpv4);
  // RoCEv2 packets have neither IPv4 options nor fragments.
  const bool plain = ip[0] == 0x45 && (ip[6] & ~kDontFragment) == 0 && ip[7] == 0;
  if (!plain || ip[9] != roce::kIpProtocolUdp) return {};
  return read_bth(frame, ip.subspan(roce::kIpv4Size));
}

EntryFacts read_ipv6(Frame& frame, ByteSpan ip) {
  if (ip.size() < roce::kIpv6Size || (ip[0] >> 4) != 6) return {};
  note_traffic_class(frame, (load_be16(&ip[0]) >> 4) & 0xff, kFactIpv6);
  if (ip[6] != roce::kIpProtocolUdp) return {};
  return read_bth(frame, ip.subspan(roce::kIpv6Size));
}

}  // namespace

EntryFacts read_facts(Frame& frame) {
  frame.facts = 0;
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
  if (type == roce::kEtherTypeIpv4) return read_ipv4(frame, header.subspan(at));
  if (type == roce::kEtherTypeIpv6) return read_ipv6(frame, header.subspan(at));
  if (type == roce::kEtherTypeMacControl) frame.facts |= kFactControl;
  return {};
}

std::optional<roce::MacControl> control_of(const Frame& frame) {
  const ByteSpan header(frame.header, std::min<std::size_t>(frame.header_length, frame.length));
  return roce::parse_mac_control(header.subspan(ip_offset(frame)));
}

}  // namespace softfeb::fabric
