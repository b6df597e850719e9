// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/frame.hpp"
#include "roce/ip.hpp"
#include "roce/mac_control.hpp"
#include "roce/psn.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace softfeb::fabric {

/// Frame::facts.
inline constexpr std::uint8_t kFactTagged = 1;  ///< 802.1Q: Frame::pcp is valid, IP begins four bytes later
inline constexpr std::uint8_t kFactIpv4 = 2;
inline constexpr std::uint8_t kFactIpv6 = 4;
inline constexpr std::uint8_t kFactEct = 8;       ///< ECN-capable, and not marked yet
inline constexpr std::uint8_t kFactRequest = 16;  ///< RoCEv2: a request, that is data
inline constexpr std::uint8_t kFactAck = 32;      ///< RoCEv2: an acknowledgement
inline constexpr std::uint8_t kFactControl = 64;  ///< MAC control (EtherType 0x8808): ends at the next switch
inline constexpr std::uint8_t kFactHeadroom = 128;  ///< the switch keeps it in its ingress port's headroom

/// Frame::destination, where it is no station.
inline constexpr std::uint32_t kEverybody = UINT32_MAX;     ///< group address
inline constexpr std::uint32_t kSomebody = UINT32_MAX - 1;  ///< nobody knows where
inline constexpr std::uint32_t kNobody = UINT32_MAX - 2;    ///< never forwarded (IEEE 802.1Q table 8-1)
/// Frame::flow, where it is counted in none.
inline constexpr std::uint32_t kNoFlow = UINT32_MAX;

/// What else is of interest when a frame enters the network.
struct EntryFacts {
  bool roce = false;
  roce::Qpn dest_qp = 0;  ///< of RoCE
};

/// Reads a frame's header, which is hostile, and writes its facts, DSCP and PCP. A frame that is shorter than
/// it should be is one that we know less about; that there is an Ethernet header is the caller's to check.
EntryFacts read_facts(Frame& frame);

/// What a frame with kFactControl says, where its sender has said it properly.
std::optional<roce::MacControl> control_of(const Frame& frame);

/// Where the IP header of a frame with kFactIpv4 or kFactIpv6 begins.
inline std::size_t ip_offset(const Frame& frame) {
  return roce::kEthernetSize + ((frame.facts & kFactTagged) != 0 ? roce::kVlanTagSize : 0);
}

}  // namespace softfeb::fabric
