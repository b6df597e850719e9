// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/segments.hpp"
#include "roce/headers.hpp"
#include "roce/opcode.hpp"
#include "roce/packet.hpp"

#include <cstdint>

namespace softfeb::roce {

/// The fields of a received packet that a requester needs: a TransportPacket without the request fields.
/// This struct is small enough to stay in registers, whereas a TransportPacket is written to memory and read
/// back.
struct ReceivedResponse {
  TransportKind kind = TransportKind::kMalformed;
  std::uint8_t opcode = 0;
  std::uint8_t tver = 0;
  Aeth aeth{};  ///< valid only for kAcknowledge
  Qpn dest_qp = 0;
  Psn psn = 0;

  bool operator==(const ReceivedResponse&) const = default;
};

/// Extracts the fields of ReceivedResponse from any parsed packet.
inline ReceivedResponse response_of(const TransportPacket& p) {
  const Bth& bth = p.request.bth;
  return {p.kind, bth.opcode, bth.tver, p.aeth, bth.dest_qp, bth.psn};
}

/// Equivalent to response_of(parse_transport_with_icrc(content)), with a fast path for contiguous
/// acknowledgements and CNPs.
inline ReceivedResponse parse_response(const Segments& content) {
  constexpr std::uint32_t kPadCount = 0x30'0000;
  constexpr std::size_t kAck = Bth::kSize + Aeth::kSize + kIcrcSize;
  const ByteSpan head = content.count() == 1 ? content.part(0) : ByteSpan();
  if (head.size() < kAck) return response_of(parse_transport_with_icrc(content));
  const std::uint32_t first = load_be32(head.data());
  const auto opcode = static_cast<std::uint8_t>(first >> 24);
  const bool ack = opcode == kOpcodeRcAck && head.size() == kAck && (first & kPadCount) == 0;
  if (!ack && opcode != kOpcodeCnp) return response_of(parse_transport_with_icrc(content));
  ReceivedResponse r;
  r.kind = ack ? TransportKind::kAcknowledge : TransportKind::kCnp;
  r.opcode = opcode;
  r.tver = static_cast<std::uint8_t>(first >> 16 & 0x0f);
  r.dest_qp = load_be32(&head[4]) & kPsnMask;
  r.psn = load_be32(&head[8]) & kPsnMask;
  if (ack) r.aeth = {head[Bth::kSize], load_be32(&head[Bth::kSize]) & kPsnMask};
  return r;
}

}  // namespace softfeb::roce
