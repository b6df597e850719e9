// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "fabric/frame.hpp"
#include "roce/congestion_header.hpp"
#include "roce/ip.hpp"
#include "roce/mac_control.hpp"
#include "roce/psn.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace softfeb::fabric {

// Bits of Frame::facts.

/// The frame has an 802.1Q tag: Frame::pcp is valid, and the IP header begins 4 bytes later.
inline constexpr std::uint8_t kFactTagged = 1;
inline constexpr std::uint8_t kFactIpv4 = 2;
inline constexpr std::uint8_t kFactIpv6 = 4;
inline constexpr std::uint8_t kFactEct = 8;         ///< ECT(0) or ECT(1), not marked CE
inline constexpr std::uint8_t kFactRequest = 16;    ///< RoCEv2 request (data)
inline constexpr std::uint8_t kFactAck = 32;        ///< RoCEv2 acknowledgement
inline constexpr std::uint8_t kFactControl = 64;    ///< MAC control (EtherType 0x8808): never forwarded
inline constexpr std::uint8_t kFactHeadroom = 128;  ///< the frame is stored in the ingress port's headroom

/// Values of Frame::destination that do not denote a station.
inline constexpr std::uint32_t kEverybody = UINT32_MAX;     ///< group address, so the frame is flooded
inline constexpr std::uint32_t kSomebody = UINT32_MAX - 1;  ///< individual address of an unknown station
inline constexpr std::uint32_t kNobody = UINT32_MAX - 2;    ///< never forwarded (IEEE 802.1Q, table 8-1)
/// Value of Frame::flow for a frame that is not counted in any flow.
inline constexpr std::uint32_t kNoFlow = UINT32_MAX;

/// Additional header fields, needed only when a frame enters the network.
struct EntryFacts {
  bool roce = false;
  roce::Qpn dest_qp = 0;  ///< valid if `roce`
};

/// Parses the untrusted header of a frame. Sets the frame's facts, DSCP and PCP and, for frames to UDP port
/// `cc_port`, the position of the congestion control header (CCH). If a header is truncated, the facts that
/// follow from it are missing. If the CCH is invalid, the facts that follow from the BTH are also missing,
/// because the position of the BTH is then unknown. The caller must check that an Ethernet header is present.
EntryFacts read_facts(Frame& frame, std::uint16_t cc_port = roce::kCongestionUdpPort);

/// Returns the part of a frame's UDP payload that is in Frame::header. The payload must begin with a CCH.
MutableByteSpan cch_bytes(const Frame& frame);

/// Parses a frame with kFactControl as a pause frame. Returns nullopt if the frame is malformed, or is
/// neither 802.3x nor PFC.
std::optional<roce::MacControl> control_of(const Frame& frame);

/// Offset in bytes of the IP header in a frame with kFactIpv4 or kFactIpv6.
inline std::size_t ip_offset(const Frame& frame) {
  return roce::kEthernetSize + ((frame.facts & kFactTagged) != 0 ? roce::kVlanTagSize : 0);
}

}  // namespace softfeb::fabric
