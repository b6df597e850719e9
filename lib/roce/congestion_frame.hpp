// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/congestion_header.hpp"
#include "roce/frame.hpp"
#include "roce/headers.hpp"

#include <array>
#include <cstdint>
#include <optional>

/// Frames with a congestion control header (CCH, see congestion_header.hpp). Without its CCH, such a frame
/// is a standard RoCEv2 packet. The iCRC is computed over this packet, whose IP and UDP lengths do not
/// include the CCH and whose UDP port is 4791. The CCH has its own checksum.
namespace softfeb::roce {

/// Buffer into which a CCH is copied if it is split between byte ranges.
using CchScratch = std::array<std::uint8_t, CongestionHeader::kMaxSize>;
/// Buffer for the headers, from IP to BTH, of a packet without its CCH.
using PlainHeaders = std::array<std::uint8_t, kIpv6Size + kUdpHeaderSize + Bth::kSize>;

/// Decodes the CCH at the beginning of the UDP payload of `frame`, whose kind must be kUdp. The result refers
/// to the frame's bytes or to `scratch`.
std::optional<CongestionHeader> decode_congestion_header(const ParsedFrame& frame, CchScratch& scratch);

/// Removes the CCH of `size` bytes from `frame`, whose kind must be kUdp. Afterwards, icrc_matches() and
/// transport_bytes() treat `frame` like any other RoCEv2 packet. The headers from IP to BTH are copied to
/// `headers`, which must live as long as `frame`; the received bytes do not change. Returns false and leaves
/// `frame` unchanged if too few bytes for a BTH and an iCRC follow the CCH, or if `frame` has no room for
/// another byte range.
bool remove_congestion_header(ParsedFrame& frame, std::size_t size, PlainHeaders& headers);

/// Inserts `cch` into a crafted packet. The packet's headers are the `header_length` bytes at `header`, and
/// begin with the headers of `path`. `header` must have room for the CCH. Sets the UDP destination port to
/// `port`, and adjusts the lengths and the IPv4 checksum. The iCRC remains valid. Returns the new length of
/// the headers.
std::uint16_t insert_congestion_header(const HeaderTemplate& path, ByteSpan cch, std::uint16_t port,
                                       std::uint8_t* header, std::uint16_t header_length);

}  // namespace softfeb::roce
