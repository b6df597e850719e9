// SPDX-License-Identifier: BSD-3-Clause
#include "roce/path.hpp"

#include "roce/icrc.hpp"

#include <algorithm>
#include <cstring>

namespace softfeb::roce {

namespace {

std::uint8_t* write_ethernet(std::uint8_t* p, const Path& path) {
  std::copy(path.dest_mac.begin(), path.dest_mac.end(), p);
  std::copy(path.source_mac.begin(), path.source_mac.end(), p + 6);
  p += 12;
  if (path.vlan) {
    store_be16(p, kEtherTypeVlan);
    store_be16(p + 2, static_cast<std::uint16_t>((path.vlan->pcp << 13) | (path.vlan->id & 0xfff)));
    p += kVlanTagSize;
  }
  store_be16(p, path.source_ip.is_v4() ? kEtherTypeIpv4 : kEtherTypeIpv6);
  return p + 2;
}

std::uint8_t traffic_class(std::uint8_t dscp, Ecn ecn) {
  return static_cast<std::uint8_t>((dscp << 2) | static_cast<unsigned>(ecn));
}
std::uint8_t traffic_class(const Path& path) { return traffic_class(path.dscp, path.ecn); }

void write_ipv4(std::uint8_t* p, const Path& path) {
  p[0] = 0x45;
  p[1] = traffic_class(path);
  store_be16(p + 6, 0x4000);  // flag DF (do not fragment), offset 0
  p[8] = path.ttl;
  p[9] = kIpProtocolUdp;
  std::memcpy(p + 12, &path.source_ip.bytes[12], 4);
  std::memcpy(p + 16, &path.dest_ip.bytes[12], 4);
}

void write_ipv6(std::uint8_t* p, const Path& path) {
  // Like the UDP source port, the flow label lets switches distribute flows over paths.
  const std::uint32_t flow_label = path.udp_source_port;
  store_be32(p, 0x6000'0000U | (std::uint32_t{traffic_class(path)} << 20) | flow_label);
  p[6] = kIpProtocolUdp;
  p[7] = path.ttl;
  std::memcpy(p + 8, path.source_ip.bytes.data(), 16);
  std::memcpy(p + 24, path.dest_ip.bytes.data(), 16);
}

/// Sum of an IPv4 header's 16-bit words, read as little-endian numbers and folded to 16 bits.
std::uint32_t swapped_sum(const std::uint8_t* ipv4) {
  return __builtin_bswap16(static_cast<std::uint16_t>(~internet_checksum(ByteSpan(ipv4, kIpv4Size))));
}

}  // namespace

HeaderTemplate::HeaderTemplate(const Path& path) : v6_(!path.source_ip.is_v4()) {
  std::uint8_t* const begin = bytes_.data();
  std::uint8_t* p = write_ethernet(begin, path);
  ip_offset_ = static_cast<std::uint8_t>(p - begin);
  if (v6_) {
    write_ipv6(p, path);
    p += kIpv6Size;
  } else {
    write_ipv4(p, path);
    checksum_base_ = swapped_sum(p);
    p += kIpv4Size;
  }
  store_be16(p, path.udp_source_port);
  store_be16(p + 2, path.udp_dest_port);
  crc_register_ = ~icrc_path(ByteSpan(begin + ip_offset_, p + 4));
  size_ = static_cast<std::uint8_t>(p + kUdpHeaderSize - begin);
}

void HeaderTemplate::set_dest_mac(const MacAddress& mac) {
  std::copy(mac.begin(), mac.end(), bytes_.begin());
}

void HeaderTemplate::set_traffic_class(std::uint8_t dscp, Ecn ecn) {
  std::uint8_t* const ip = &bytes_[ip_offset_];
  if (v6_) {
    store_be32(ip, (load_be32(ip) & 0xf00f'ffffU) | std::uint32_t{traffic_class(dscp, ecn)} << 20);
  } else {
    ip[1] = traffic_class(dscp, ecn);
    checksum_base_ = swapped_sum(ip);
  }
}

void HeaderTemplate::set_priority(std::uint8_t level) {
  const std::uint8_t* const ip = &bytes_[ip_offset_];
  set_traffic_class(static_cast<std::uint8_t>(8 * level),
                    static_cast<Ecn>((v6_ ? load_be32(ip) >> 20 : ip[1]) & 3));
  if (ip_offset_ == kEthernetSize) return;
  std::uint8_t& tag = bytes_[kEthernetSize];
  tag = static_cast<std::uint8_t>((tag & 0x1f) | level << 5);
}

std::uint8_t HeaderTemplate::dscp() const {
  const std::uint8_t* const ip = &bytes_[ip_offset_];
  return static_cast<std::uint8_t>(v6_ ? load_be32(ip) >> 22 & 63 : ip[1] >> 2);
}

std::optional<std::uint8_t> HeaderTemplate::pcp() const {
  if (ip_offset_ == kEthernetSize) return std::nullopt;
  return static_cast<std::uint8_t>(bytes_[kEthernetSize] >> 5);
}

}  // namespace softfeb::roce
