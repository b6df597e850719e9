// SPDX-License-Identifier: BSD-3-Clause
#include "faults/location.hpp"

#include "roce/headers.hpp"
#include "roce/ip.hpp"

namespace softfeb::faults {

std::optional<RoceLocation> locate_roce(ByteSpan frame, std::uint16_t cc_port) {
  RoceLocation at;
  at.ip = roce::kEthernetSize;
  if (frame.size() < at.ip) return std::nullopt;
  std::uint16_t type = load_be16(&frame[at.ip - 2]);
  if (type == roce::kEtherTypeVlan) {
    at.ip += roce::kVlanTagSize;
    if (frame.size() < at.ip) return std::nullopt;
    type = load_be16(&frame[at.ip - 2]);
  }
  at.ipv6 = type == roce::kEtherTypeIpv6;
  if (!at.ipv6 && type != roce::kEtherTypeIpv4) return std::nullopt;
  const std::size_t udp = at.ip + (at.ipv6 ? roce::kIpv6Size : roce::kIpv4Size);
  at.content = static_cast<std::uint16_t>(udp + roce::kUdpHeaderSize);
  if (frame.size() < at.content + roce::Bth::kSize) return std::nullopt;
  const std::uint8_t protocol = at.ipv6 ? frame[at.ip + 6] : frame[at.ip + 9];
  const bool plain = at.ipv6 || frame[at.ip] == 0x45;
  if (!plain || protocol != roce::kIpProtocolUdp) return std::nullopt;
  at.bth = at.content;
  if (const std::uint16_t port = load_be16(&frame[udp + 2]); port == cc_port) {
    const auto cch = roce::CongestionHeader::decode(frame.subspan(at.content));
    if (!cch) return std::nullopt;
    at.bth = static_cast<std::uint16_t>(at.bth + cch->size());
    if (frame.size() < at.bth + roce::Bth::kSize) return std::nullopt;
  } else if (port != roce::kRoceUdpPort) {
    return std::nullopt;
  }
  at.dest_qp = load_be24(&frame[at.bth + 5]);
  at.psn = load_be24(&frame[at.bth + 9]);
  return at;
}

}  // namespace softfeb::faults
