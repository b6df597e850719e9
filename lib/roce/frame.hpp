// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/segments.hpp"
#include "roce/ip.hpp"
#include "roce/mac_control.hpp"
#include "roce/path.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::roce {

/// What a received frame is, from Ethernet up to UDP.
enum class FrameKind : std::uint8_t {
  kMalformed,  ///< a length, checksum or version is wrong
  kUdp,
  kIcmp,
  kArp,
  kMacControl,  ///< pause, 802.3x or per priority; parse_mac_control(content) gives it
  kOther,       ///< well formed as far as we look, but nothing we speak
};

/// A frame taken apart. Refers to the frame's bytes.
struct ParsedFrame {
  FrameKind kind = FrameKind::kMalformed;
  MacAddress dest_mac{};
  MacAddress source_mac{};
  std::optional<VlanTag> vlan;
  IpAddress source_ip;
  IpAddress dest_ip;
  bool congestion_experienced = false;
  std::uint16_t source_port = 0;
  std::uint16_t dest_port = 0;
  Segments datagram;  ///< IP header to the end of the IP packet, Ethernet padding cut off (kUdp, kIcmp)
  Segments content;   ///< UDP payload, ICMP message, ARP packet, what follows 0x8808
};

/// Takes a frame from the network apart; every length is checked. IPv4 options and fragments are kOther: no
/// RoCE sender makes them. A UDP checksum that is not 0 is verified, unless it is one that the sender left to
/// an interface that makes none (veth, tap).
ParsedFrame parse_frame(const Segments& frame);
/// The same into a frame that was used before.
void parse_frame(const Segments& frame, ParsedFrame& out);

/// True when the four bytes at the end of a RoCE datagram are its iCRC.
bool icrc_matches(const ParsedFrame& frame);

/// BTH to pad: the UDP payload without its iCRC; empty when it is shorter than that.
Segments transport_bytes(const ParsedFrame& frame);

}  // namespace softfeb::roce
