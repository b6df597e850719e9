// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "base/segments.hpp"
#include "engine/identity.hpp"
#include "roce/frame.hpp"
#include "roce/ip.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

/// Slow control at the board's own address: UDP datagrams taken out of received frames, and frames made of
/// the answers.
namespace softfeb::engine {

/// A datagram for one of the board's slow-control ports, and the way back to who sent it. The VLAN is the
/// board's own: a frame of another one never gets to the board. Refers to the frame's bytes.
struct ReceivedDatagram {
  roce::MacAddress source_mac{};  ///< of the sender or of the router to it: where the answer goes
  roce::IpAddress source_ip;
  std::uint16_t source_port = 0;
  std::uint16_t dest_port = 0;  ///< kRegisterUdpPort or kStreamUdpPort
  Segments payload;
};

/// Takes a datagram for port 8192 or 8193 out of a frame; nothing when the frame is anything else. What
/// parse_frame() refuses (wrong lengths, IPv4 options, fragments, IPv6 extension headers) is nothing, too,
/// and so is a sender that cannot be answered: port 0, a group or no address.
///
/// A UDP checksum that a neighbour on the same machine left to hardware that is not there is let pass
/// (roce/frame.hpp); RSSI and the packetizer carry checksums of their own.
std::optional<ReceivedDatagram> parse_control_datagram(const Segments& frame);

/// Where a datagram goes.
struct DatagramRoute {
  roce::MacAddress dest_mac{};
  roce::IpAddress dest_ip;  ///< of the family of the sender's address
  std::uint16_t dest_port = 0;
  std::uint16_t source_port = 0;
};

/// Bytes of a frame besides the UDP payload: Ethernet, a VLAN's tag, IP and UDP.
std::size_t control_frame_overhead(const Identity& from);

/// Largest UDP payload that an IP packet of `mtu` bytes holds; 0 where not even the headers fit.
std::size_t max_udp_payload(std::uint32_t mtu, bool v6);

/// Writes the frame that carries `payload` from `from` to `to`: DSCP 0, not ECN-capable, TTL 64, never to be
/// fragmented, UDP checksum (which IPv6 demands, RFC 8200 section 8.1). `out` has room for the payload and
/// control_frame_overhead(), the payload fits an IP packet (65,507 bytes). Returns the frame's length,
/// without padding to Ethernet's minimum.
std::size_t write_control_frame(const Identity& from, const DatagramRoute& to, ByteSpan payload,
                                std::uint16_t identification, std::uint8_t* out);

}  // namespace softfeb::engine
