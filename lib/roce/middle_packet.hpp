// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/frame.hpp"
#include "roce/headers.hpp"
#include "roce/icrc.hpp"

#include <cstdint>

namespace softfeb::roce {

/// Most packets of a WRITE stand in the middle of a message on RC: a BTH and a path MTU of payload, nothing
/// else. One that lies as ports give packets, in one buffer or as our own boards chain them over a ring
/// (headers, payload, iCRC), is taken apart in few steps; it refers to the frame's bytes. What is anything
/// else, or wrong in any way, is for parse_transport_with_icrc().
struct MiddlePacket {
  ByteSpan headers;  ///< IP header to BTH
  ByteSpan payload;
  std::uint32_t icrc = 0;  ///< as it arrived; not verified
  std::uint16_t pkey = 0;
  bool ack_req = false;
  Qpn dest_qp = 0;
  Psn psn = 0;

  /// False: `frame` is for the general way, `*this` means nothing. Requires FrameKind::kUdp.
  bool read(const ParsedFrame& frame);
};

inline bool MiddlePacket::read(const ParsedFrame& frame) {
  // Opcode WRITE Middle of RC, neither SE nor pad, transport version 0; whether MigReq is set is no matter.
  constexpr std::uint32_t kBegin = 0x0700'0000, kSaysIt = 0xffbf'0000;
  const Segments& content = frame.content;
  if (content.count() == 0 || frame.datagram.count() == 0) return false;
  const ByteSpan bth = content.part(0);
  const ByteSpan ip = frame.datagram.part(0);
  if (bth.size() < Bth::kSize || ip.data() + ip.size() != bth.data() + bth.size()) return false;
  const std::uint32_t first = load_be32(&bth[0]);
  if ((first & kSaysIt) != kBegin) return false;
  const std::uint32_t third = load_be32(&bth[8]);
  headers = ip.first(ip.size() - bth.size() + Bth::kSize);
  pkey = static_cast<std::uint16_t>(first);
  dest_qp = load_be24(&bth[5]);
  ack_req = (third & 0x8000'0000U) != 0;
  psn = third & kPsnMask;
  if (content.count() == 1) {
    if (bth.size() < Bth::kSize + kIcrcSize) return false;
    payload = bth.subspan(Bth::kSize, bth.size() - Bth::kSize - kIcrcSize);
    icrc = load_le32(bth.data() + bth.size() - kIcrcSize);
    return true;
  }
  if (content.count() != 3 || bth.size() != Bth::kSize || content.part(2).size() != kIcrcSize) return false;
  payload = content.part(1);
  icrc = load_le32(content.part(2).data());
  return true;
}

inline bool icrc_matches(const MiddlePacket& p) { return icrc_of_parts(p.headers, p.payload) == p.icrc; }

}  // namespace softfeb::roce
