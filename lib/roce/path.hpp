// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/headers.hpp"
#include "roce/ip.hpp"
#include "roce/packet.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

namespace softfeb::roce {

/// 802.1Q tag: VLAN identifier 1…4094 and priority code point 0…7.
struct VlanTag {
  std::uint16_t id = 0;
  std::uint8_t pcp = 0;
  bool operator==(const VlanTag&) const = default;
};

/// Path from a QP to its peer: all fields of the headers below the transport layer. Both IP addresses must
/// belong to the same family.
struct Path {
  MacAddress source_mac{};
  MacAddress dest_mac{};
  std::optional<VlanTag> vlan;
  IpAddress source_ip;
  IpAddress dest_ip;
  std::uint8_t dscp = 0;  ///< 0…63
  Ecn ecn = Ecn::kEct0;
  std::uint8_t ttl = 64;
  std::uint16_t udp_source_port = 0xc000;
  /// UDP destination port: kRoceUdpPort unless the board's registers select another port.
  std::uint16_t udp_dest_port = kRoceUdpPort;
};

/// Headers of a path from Ethernet to UDP, built once. Only the lengths, the identification and the checksum
/// change from packet to packet.
class HeaderTemplate {
 public:
  /// Maximum size in bytes: 14 + 4 + 40 + 8.
  static constexpr std::size_t kMaxSize = kEthernetSize + kVlanTagSize + kIpv6Size + kUdpHeaderSize;

  HeaderTemplate() = default;
  explicit HeaderTemplate(const Path& path);

  void set_dest_mac(const MacAddress& mac);
  /// Sets DSCP (6 bits) and ECN. Requires a template constructed from a path.
  void set_traffic_class(std::uint8_t dscp, Ecn ecn);
  /// Sets the DSCP to class selector `level` (RFC 2474), and the priority code point of the VLAN tag, if
  /// there is one, to `level` (0…7). The ECN field does not change.
  void set_priority(std::uint8_t level);
  std::uint8_t dscp() const;
  IpAddress dest_ip() const {
    const std::uint8_t* const ip = &bytes_[ip_offset_];
    return v6_ ? IpAddress::from_v6_wire(ip + 24) : IpAddress::from_v4_wire(ip + 16);
  }
  /// Priority code point of the VLAN tag, if there is one.
  std::optional<std::uint8_t> pcp() const;
  std::size_t size() const { return size_; }
  bool is_v4() const { return !v6_; }
  /// Offset of the IP header in bytes: 14 or 18.
  std::size_t ip_offset() const { return ip_offset_; }

  /// Writes the headers for a UDP payload of `udp_payload` bytes (from BTH to iCRC) to `out`, where size()
  /// bytes must be available. `identification` is written to an IPv4 header and ignored for IPv6.
  void write(std::uint8_t* out, std::uint32_t udp_payload, std::uint16_t identification) const {
    write_ip(out, ip_word(udp_payload, identification));
    store_be16(out + size_ - 4, static_cast<std::uint16_t>(kUdpHeaderSize + udp_payload));
  }
  /// Like write(), but without the UDP length. `word` is the result of ip_word().
  void write_ip(std::uint8_t* out, std::uint64_t word) const {
    if (v6_) {
      write_v6(out, word);
    } else {
      write_v4(out, word);
    }
  }
  void write_v4(std::uint8_t* out, std::uint64_t word) const;
  void write_v6(std::uint8_t* out, std::uint64_t word) const;

  /// Uncomplemented state of the CRC register after the UDP ports. The computation of the iCRC continues from
  /// this state (doc/icrc.md). Fields that change from packet to packet are treated as 0.
  std::uint32_t crc_register() const { return crc_register_; }
  /// The first eight bytes of the IP header, in memory order. Contains only the fields that change from
  /// packet to packet; all other bits are 0.
  std::uint64_t ip_word(std::uint32_t udp_payload, std::uint16_t identification) const {
    const std::uint32_t udp_length = static_cast<std::uint32_t>(kUdpHeaderSize) + udp_payload;
    return v6_ ? v6_word(udp_length) : v4_word(udp_length, identification);
  }
  static std::uint64_t v4_word(std::uint32_t udp_length, std::uint16_t identification) {
    const auto total = static_cast<std::uint16_t>(kIpv4Size + udp_length);
    return (std::uint64_t{__builtin_bswap16(identification)} << 32) |
           (std::uint64_t{__builtin_bswap16(total)} << 16);
  }
  static std::uint64_t v6_word(std::uint32_t udp_length) {
    return std::uint64_t{__builtin_bswap16(static_cast<std::uint16_t>(udp_length))} << 32;
  }
  /// Number of four-byte words between the first eight bytes of the IP header and the UDP length.
  static constexpr std::size_t kIpv4WordDistance = 4;
  std::size_t ip_word_distance() const { return v6_ ? 9 : kIpv4WordDistance; }

 private:
  void copy_to(std::uint8_t* out) const;

  // This order of members keeps all data that IPv4 needs in one cache line.

  /// Sum of the IPv4 header's 16-bit words, read as little-endian numbers, with length and identification 0.
  std::uint32_t checksum_base_ = 0;
  std::uint32_t crc_register_ = 0;
  std::uint8_t size_ = kEthernetSize + kIpv4Size + kUdpHeaderSize;
  std::uint8_t ip_offset_ : 7 = kEthernetSize;
  std::uint8_t v6_ : 1 = 0;
  std::array<std::uint8_t, kMaxSize> bytes_{};
};

inline void HeaderTemplate::copy_to(std::uint8_t* out) const {
  // These fixed-width copies overlap. Together they cover each of the four possible sizes (42, 46, 62, 66).
  static_assert(kMaxSize == 66 && kEthernetSize + kIpv4Size + kUdpHeaderSize == 42);
  std::memcpy(out, &bytes_[0], 32);
  std::memcpy(out + 24, &bytes_[24], 16);
  // The UDP checksum remains 0, which RoCEv2 allows.
  std::memcpy(out + size_ - 32, bytes_.data() + size_ - 32, 32);
}

inline void HeaderTemplate::write_v6(std::uint8_t* out, std::uint64_t word) const {
  copy_to(out);
  store_le16(out + ip_offset_ + 4, static_cast<std::uint16_t>(word >> 32));
}

inline void HeaderTemplate::write_v4(std::uint8_t* out, std::uint64_t word) const {
  if (ip_offset_ == kEthernetSize) {
    std::memcpy(out, &bytes_[0], 32);
    std::memcpy(out + 26, &bytes_[26], 16);
  } else {
    copy_to(out);
  }
  std::uint8_t* const ip = out + ip_offset_;
  store_le32(ip + 2, static_cast<std::uint32_t>(word >> 16));
  // The sum of byte-swapped words is the byte-swapped sum (RFC 1071).
  std::uint32_t sum = checksum_base_ + (static_cast<std::uint32_t>(word >> 16) & 0xffff) +
                      static_cast<std::uint32_t>(word >> 32);
  sum = (sum & 0xffff) + (sum >> 16);
  sum += sum >> 16;
  store_le16(ip + 10, static_cast<std::uint16_t>(~sum));
}

/// Maximum size in bytes of a frame without its payload and pad: the headers from Ethernet to UDP, BTH, RETH,
/// ImmDt, iCRC.
constexpr std::uint32_t max_frame_overhead(bool v6, bool vlan) {
  return static_cast<std::uint32_t>(kEthernetSize + (vlan ? kVlanTagSize : 0) + (v6 ? kIpv6Size : kIpv4Size) +
                                    kUdpHeaderSize + kMaxTransportHeaders + kIcrcSize);
}
/// Bytes on the wire in addition to the frame: FCS, preamble with start delimiter, interframe gap.
inline constexpr std::uint32_t kWireOverhead = 4 + 8 + 12;

}  // namespace softfeb::roce
