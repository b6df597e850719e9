// SPDX-License-Identifier: BSD-3-Clause
#include "engine/control_frame.hpp"

#include "engine/endpoint.hpp"
#include "roce/path.hpp"

#include <algorithm>

namespace softfeb::engine {

namespace {

/// Returns true if `ip` is the address of one host. Multicast and unspecified addresses cannot be answered.
bool one_host(const roce::IpAddress& ip) {
  if (ip.is_v4()) return ip.v4() != 0 && ip.v4() >> 28 < 14;
  return ip != roce::IpAddress{} && ip.bytes[0] != 0xff;
}

/// Checksum over the pseudo-header and the datagram, whose checksum field must be 0.
std::uint16_t udp_checksum(const Identity& from, const roce::IpAddress& to, ByteSpan udp) {
  const std::size_t skip = from.ip.is_v4() ? 12 : 0;
  std::uint32_t sum = roce::kIpProtocolUdp + static_cast<std::uint32_t>(udp.size());
  sum = roce::checksum_add(sum, ByteSpan(from.ip.bytes).subspan(skip));
  sum = roce::checksum_add(sum, ByteSpan(to.bytes).subspan(skip));
  const std::uint16_t checksum = roce::internet_checksum(udp, sum);
  return checksum == 0 ? 0xffff : checksum;  // a field of 0 means "no checksum" (RFC 768)
}

}  // namespace

std::optional<ReceivedDatagram> parse_control_datagram(const Segments& frame) {
  const roce::ParsedFrame f = roce::parse_frame(frame);
  const bool ours = f.dest_port == kRegisterUdpPort || f.dest_port == kStreamUdpPort;
  if (f.kind != roce::FrameKind::kUdp || !ours || f.source_port == 0) return std::nullopt;
  if (!one_host(f.source_ip) || (f.source_mac[0] & 1) != 0) return std::nullopt;
  return ReceivedDatagram{f.source_mac, f.source_ip, f.source_port, f.dest_port, f.content};
}

std::size_t control_frame_overhead(const Identity& from) {
  return roce::kEthernetSize + (from.vlan ? roce::kVlanTagSize : 0) +
         (from.ip.is_v4() ? roce::kIpv4Size : roce::kIpv6Size) + roce::kUdpHeaderSize;
}

std::size_t max_udp_payload(std::uint32_t mtu, bool v6) {
  const std::size_t headers = (v6 ? roce::kIpv6Size : roce::kIpv4Size) + roce::kUdpHeaderSize;
  return mtu > headers ? mtu - headers : 0;
}

std::size_t write_control_frame(const Identity& from, const DatagramRoute& to, ByteSpan payload,
                                std::uint16_t identification, std::uint8_t* out) {
  roce::Path path;
  path.source_mac = from.mac;
  path.dest_mac = to.dest_mac;
  path.vlan = from.vlan;
  path.source_ip = from.ip;
  path.dest_ip = to.dest_ip;
  path.ecn = roce::Ecn::kNotEct;
  path.udp_source_port = to.source_port;
  const roce::HeaderTemplate headers(path);
  headers.write(out, static_cast<std::uint32_t>(payload.size()), identification);
  std::uint8_t* const udp = out + headers.size() - roce::kUdpHeaderSize;
  store_be16(udp + 2, to.dest_port);  // replaces the RoCE port from the header template
  std::copy(payload.begin(), payload.end(), udp + roce::kUdpHeaderSize);
  store_be16(udp + 6, udp_checksum(from, to.dest_ip, ByteSpan(udp, roce::kUdpHeaderSize + payload.size())));
  return headers.size() + payload.size();
}

}  // namespace softfeb::engine
