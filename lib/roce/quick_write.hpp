// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/congestion_header.hpp"
#include "roce/frame.hpp"
#include "roce/headers.hpp"
#include "roce/opcode.hpp"

#include <cstdint>

namespace softfeb::roce {

/// Fast path for parsing the most frequent packets: RC WRITE FIRST, MIDDLE and LAST without ImmDt. Such a
/// packet consists of a BTH, a RETH (FIRST only) and a payload whose length is a multiple of four bytes. The
/// packet must be contiguous or consist of three segments (headers, payload, iCRC). softfeb's own boards send
/// packets over a ring as three such segments. parse_transport_with_icrc() parses all other packets, and
/// detects malformed packets. The object refers to the frame's bytes and does not own them.
struct QuickWrite {
  Operation operation{};  ///< kWriteFirst, kWriteMiddle or kWriteLast
  bool ack_req = false;
  std::uint16_t pkey = 0;
  Qpn dest_qp = 0;
  Psn psn = 0;
  std::uint32_t icrc = 0;  ///< as received, not verified
  const std::uint8_t* bth = nullptr;
  ByteSpan headers;  ///< from the IP header to the last transport header
  ByteSpan payload;

  /// Parses `frame`. If it returns false, `*this` is invalid and the general parser must be used. Requires
  /// FrameKind::kUdp.
  bool read(const ParsedFrame& frame);
  /// The packet's RETH. Requires kWriteFirst.
  Reth reth() const { return *Reth::decode({bth + Bth::kSize, Reth::kSize}); }
};

/// Destination QPN of any packet, without validation, as a prefetch hint. If `cc_port` is not 0, packets to
/// this UDP port have a congestion control header before the BTH. Returns 0 if the packet is too short, or if
/// its destination port is neither the RoCE port nor `cc_port`. Requires FrameKind::kUdp.
inline Qpn dest_qp_hint(const ParsedFrame& frame, std::uint16_t cc_port) {
  if (frame.content.count() == 0) return 0;
  const ByteSpan begin = frame.content.part(0);
  std::size_t bth = 0;
  if (frame.dest_port != kRoceUdpPort) {
    if (frame.dest_port != cc_port || begin.size() < CongestionHeader::kCommonSize) return 0;
    bth = CongestionHeader::stated_size(begin);
  }
  if (begin.size() < bth + Bth::kSize) return 0;
  return load_be32(&begin[bth + 4]) & kPsnMask;
}

inline bool QuickWrite::read(const ParsedFrame& frame) {
  // Bits that must be 0: transport service (0 is RC), SE, pad count and transport version. MigReq may have
  // either value.
  constexpr std::uint32_t kSaysMore = 0xe0bf'0000;
  const Segments& content = frame.content;
  if (content.count() == 0 || frame.datagram.count() == 0) return false;
  const ByteSpan begin = content.part(0);
  const ByteSpan ip = frame.datagram.part(0);
  if (begin.size() < Bth::kSize || ip.data() + ip.size() != begin.data() + begin.size()) return false;
  bth = begin.data();
  const std::uint32_t first = load_be32(bth);
  operation = opcode_operation(static_cast<std::uint8_t>(first >> 24));
  if ((first & kSaysMore) != 0 || operation < Operation::kWriteFirst || operation > Operation::kWriteLast)
    return false;
  const std::size_t transport = Bth::kSize + (operation == Operation::kWriteFirst ? Reth::kSize : 0);
  const std::uint32_t third = load_be32(bth + 8);
  headers = ip.first(ip.size() - begin.size() + transport);
  pkey = static_cast<std::uint16_t>(first);
  dest_qp = load_be32(bth + 4) & kPsnMask;
  ack_req = (third & 0x8000'0000U) != 0;
  psn = third & kPsnMask;
  if (content.count() == 1) {
    if (begin.size() < transport + kIcrcSize) return false;
    payload = begin.subspan(transport, begin.size() - transport - kIcrcSize);
    icrc = load_le32(bth + begin.size() - kIcrcSize);
    return payload.size() % 4 == 0;
  }
  if (content.count() != 3 || begin.size() != transport || content.part(2).size() != kIcrcSize) return false;
  payload = content.part(1);
  icrc = load_le32(content.part(2).data());
  return payload.size() % 4 == 0;
}

}  // namespace softfeb::roce
