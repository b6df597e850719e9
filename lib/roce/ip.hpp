// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The subset of Ethernet, 802.1Q, IPv4 and IPv6 that RoCEv2 needs.
namespace softfeb::roce {

using MacAddress = std::array<std::uint8_t, 6>;

/// Compares two addresses with two loads for each; operator== would call memcmp().
inline bool same_mac(const MacAddress& a, const MacAddress& b) {
  return load_le32(&a[0]) == load_le32(&b[0]) && load_le16(&a[4]) == load_le16(&b[4]);
}

inline constexpr std::size_t kEthernetSize = 14;
inline constexpr std::size_t kVlanTagSize = 4;
inline constexpr std::size_t kIpv4Size = 20;  ///< without options
inline constexpr std::size_t kIpv6Size = 40;
inline constexpr std::size_t kUdpHeaderSize = 8;

inline constexpr std::uint16_t kEtherTypeIpv4 = 0x0800;
inline constexpr std::uint16_t kEtherTypeArp = 0x0806;
inline constexpr std::uint16_t kEtherTypeVlan = 0x8100;
inline constexpr std::uint16_t kEtherTypeIpv6 = 0x86dd;
inline constexpr std::uint8_t kIpProtocolIcmp = 1;
inline constexpr std::uint8_t kIpProtocolUdp = 17;
inline constexpr std::uint8_t kIpProtocolIcmpv6 = 58;

/// ECN codepoints of the IP header.
enum class Ecn : std::uint8_t { kNotEct = 0, kEct1 = 1, kEct0 = 2, kCe = 3 };

/// An IPv4 or IPv6 address. IPv4 is stored as an IPv4-mapped IPv6 address, as in RoCEv2 GIDs.
struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};

  bool is_v4() const;
  std::uint32_t v4() const { return load_be32(&bytes[12]); }  ///< host order
  static IpAddress from_v4(std::uint32_t host_order);
  static IpAddress from_v4_wire(const std::uint8_t* p);
  static IpAddress from_v6_wire(const std::uint8_t* p);
  /// Parses dotted-quad IPv4 or IPv6 notation.
  static std::optional<IpAddress> parse(std::string_view text);
  std::string to_string() const;
  /// The address plus `n`, for boards that are replicated (`count`). A carry out of the last four bytes is
  /// dropped.
  IpAddress plus(std::uint32_t n) const;

  bool operator==(const IpAddress& o) const {  // compares two words; the default would call memcmp()
    return load_le64(&bytes[0]) == load_le64(&o.bytes[0]) && load_le64(&bytes[8]) == load_le64(&o.bytes[8]);
  }
  // NOLINTNEXTLINE(modernize-use-nullptr): false positive of clang-tidy 14
  auto operator<=>(const IpAddress&) const = default;
};

inline bool IpAddress::is_v4() const { return load_be64(&bytes[0]) == 0 && load_be32(&bytes[8]) == 0xffff; }

inline IpAddress IpAddress::from_v4_wire(const std::uint8_t* p) {
  IpAddress a;
  // Uses a single store, so that loads of whole words can be forwarded from it.
  store_le64(&a.bytes[8], 0xffff'0000U | std::uint64_t{load_le32(p)} << 32);
  return a;
}

inline IpAddress IpAddress::from_v6_wire(const std::uint8_t* p) {
  IpAddress a;
  store_le64(&a.bytes[0], load_le64(p));
  store_le64(&a.bytes[8], load_le64(p + 8));
  return a;
}

std::optional<MacAddress> parse_mac(std::string_view text);
std::string to_string(const MacAddress& mac);
MacAddress mac_plus(const MacAddress& mac, std::uint32_t n);

/// Internet checksum (RFC 1071) over `data`; `start` is the unfolded sum of preceding data.
std::uint16_t internet_checksum(ByteSpan data, std::uint32_t start = 0);
/// Adds the 16-bit words of `data` to the unfolded sum `sum`, for example for pseudo headers.
std::uint32_t checksum_add(std::uint32_t sum, ByteSpan data);

}  // namespace softfeb::roce
