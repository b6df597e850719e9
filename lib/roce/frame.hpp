// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/segments.hpp"
#include "roce/ip.hpp"
#include "roce/mac_control.hpp"
#include "roce/path.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::roce {

/// Type of a received frame, from Ethernet up to UDP.
enum class FrameKind : std::uint8_t {
  kMalformed,  ///< wrong length, checksum or version
  kUdp,
  kIcmp,
  kArp,
  kMacControl,  ///< 802.3x pause or PFC; decode `content` with parse_mac_control()
  kOther,       ///< no error was found, but the frame is of an unsupported type
};

/// A parsed frame. Refers to the frame's bytes and does not own them.
struct ParsedFrame {
  FrameKind kind = FrameKind::kMalformed;
  MacAddress dest_mac{};
  MacAddress source_mac{};
  std::optional<VlanTag> vlan;
  IpAddress source_ip;
  IpAddress dest_ip;
  bool congestion_experienced = false;
  bool may_fragment = false;  ///< IPv4 without DF
  /// True if the caller knows that the iCRC is right, so that it need not be computed. In virtual time, this
  /// holds if the sender computed the iCRC and the frame has not been changed since.
  bool icrc_right = false;
  std::uint16_t source_port = 0;
  std::uint16_t dest_port = 0;
  Segments datagram;  ///< the IP packet, without Ethernet padding (kUdp, kIcmp)
  Segments content;   ///< UDP payload, ICMP message, ARP packet, or MAC control opcode and parameters
};

/// Parses an untrusted frame from the network and checks every length. IPv4 packets with options and IPv4
/// fragments are kOther, because RoCE senders do not produce them. A nonzero UDP checksum is verified. An
/// incomplete checksum is also accepted: with checksum offload, a sender on the same host leaves the checksum
/// to a virtual interface (veth, tap), and the interface does not complete it.
ParsedFrame parse_frame(const Segments& frame);
/// Like parse_frame(frame), but stores the result in `out`, whose previous content is overwritten.
void parse_frame(const Segments& frame, ParsedFrame& out);

/// Returns true if the last four bytes of a RoCE datagram are its iCRC. If ParsedFrame::icrc_right is set,
/// the iCRC is not computed.
bool icrc_matches(const ParsedFrame& frame);

/// The UDP payload without its iCRC (BTH to pad); empty if the payload is too short to contain an iCRC.
Segments transport_bytes(const ParsedFrame& frame);

}  // namespace softfeb::roce
