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

/// Slow control at the board's own address: extracts UDP datagrams from received frames and builds the frames
/// of the responses.
namespace softfeb::engine {

/// A datagram for one of the board's slow-control ports, with the addresses needed to respond. There is no
/// VLAN field, because frames of VLANs other than the board's do not reach slow control. Does not own the
/// bytes of the frame.
struct ReceivedDatagram {
  roce::MacAddress source_mac{};  ///< MAC address of the sender or its router; destination of the response
  roce::IpAddress source_ip;
  std::uint16_t source_port = 0;
  std::uint16_t dest_port = 0;  ///< kRegisterUdpPort or kStreamUdpPort
  Segments payload;
};

/// Extracts a datagram for UDP port 8192 or 8193 from a frame. Returns nullopt for all other frames,
/// including those that parse_frame() rejects (wrong lengths, IPv4 options, fragments, IPv6 extension
/// headers) and those whose sender cannot be answered (source port 0, or a multicast or unspecified source
/// address).
///
/// Also accepts the incomplete UDP checksums of a sender on the same host that uses checksum offload
/// (roce/frame.hpp). RSSI and the packetizer have their own checksums.
std::optional<ReceivedDatagram> parse_control_datagram(const Segments& frame);

/// Addresses of an outgoing datagram.
struct DatagramRoute {
  roce::MacAddress dest_mac{};
  roce::IpAddress dest_ip;  ///< must be of the same family as the sender's address
  std::uint16_t dest_port = 0;
  std::uint16_t source_port = 0;
};

/// Size in bytes of the headers before the UDP payload: Ethernet, VLAN tag if `from` has a VLAN, IP and UDP.
std::size_t control_frame_overhead(const Identity& from);

/// Largest UDP payload of an IP packet of `mtu` bytes; 0 if the headers do not fit.
std::size_t max_udp_payload(std::uint32_t mtu, bool v6);

/// Writes a frame that carries `payload` from `from` to `to`, with DSCP 0, Not-ECT, TTL 64, the DF bit and a
/// UDP checksum (mandatory for IPv6, RFC 8200 section 8.1). `out` must have room for the payload plus
/// control_frame_overhead(); the payload must fit an IP packet (65,507 bytes). Returns the length of the
/// frame, without padding to the Ethernet minimum.
std::size_t write_control_frame(const Identity& from, const DatagramRoute& to, ByteSpan payload,
                                std::uint16_t identification, std::uint8_t* out);

}  // namespace softfeb::engine
