// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/headers.hpp"

#include <cstdint>

namespace softfeb::dataplane {

inline constexpr std::uint32_t kEthernetHeader = 14;
inline constexpr std::uint32_t kVlanTag = 4;

/// Size in bytes of the headers and the iCRC of the longest packet that can carry a full payload, an RDMA
/// WRITE Only with Immediate. The headers are IP, UDP, BTH, RETH and ImmDt.
constexpr std::uint32_t l3_overhead(bool ipv6) {
  constexpr std::uint32_t kUdp = 8;
  return (ipv6 ? 40 : 20) + kUdp + roce::Bth::kSize + roce::Reth::kSize + roce::ImmDt::kSize +
         roce::kIcrcSize;
}

/// Interface MTU in bytes, counted from the IP header, that packets with `path_mtu` need.
constexpr std::uint32_t mtu_for(std::uint32_t path_mtu, bool ipv6) { return path_mtu + l3_overhead(ipv6); }

/// Longest Ethernet frame in bytes on an interface with this MTU, with VLAN tag, without FCS.
constexpr std::uint32_t frame_bytes_for(std::uint32_t mtu) { return mtu + kEthernetHeader + kVlanTag; }

/// Largest path MTU (256, 512, … 4096; IBA 9.6.5) at which packets fit `mtu`; 0 if there is none.
constexpr std::uint32_t max_path_mtu(std::uint32_t mtu, bool ipv6) {
  for (std::uint32_t path_mtu = 4096; path_mtu >= 256; path_mtu /= 2) {
    if (mtu_for(path_mtu, ipv6) <= mtu) return path_mtu;
  }
  return 0;
}

}  // namespace softfeb::dataplane
