// SPDX-License-Identifier: BSD-3-Clause
#include "roce/packet.hpp"

#include <algorithm>
#include <array>

namespace softfeb::roce {

std::size_t encode_request(const RequestPacket& p, Qpn dest_qp, std::uint16_t pkey, std::uint8_t* out) {
  Bth bth;
  bth.opcode = p.opcode;
  bth.solicited = p.solicited;
  bth.pad_count = p.pad_count();
  bth.pkey = pkey;
  bth.dest_qp = dest_qp;
  bth.ack_req = p.ack_req;
  bth.psn = p.psn;
  bth.encode(out);
  std::size_t n = Bth::kSize;
  const Operation op = opcode_operation(p.opcode);
  if (has_reth(op)) {
    p.reth.encode(out + n);
    n += Reth::kSize;
  }
  if (has_immediate(op)) {
    ImmDt{p.immediate}.encode(out + n);
    n += ImmDt::kSize;
  }
  return n;
}

namespace {

/// Decodes the `Header` at `at` and advances `at` past it. Returns nullopt if the packet is too short.
template <typename Header>
std::optional<Header> take(const Segments& bytes, std::size_t size, std::size_t& at) {
  std::array<std::uint8_t, Header::kSize> scratch;
  if (size - at < scratch.size()) return std::nullopt;
  const std::uint8_t* const p = bytes.piece(at, scratch.size(), scratch.data());
  at += scratch.size();
  return p == nullptr ? std::nullopt : Header::decode(ByteSpan(p, scratch.size()));
}

bool parse_request(const Segments& bytes, std::size_t size, std::size_t at, ReceivedRequest& out) {
  const Operation op = opcode_operation(out.bth.opcode);
  if (has_reth(op)) {
    const auto reth = take<Reth>(bytes, size, at);
    if (!reth) return false;
    out.reth = *reth;
  }
  if (has_immediate(op)) {
    const auto imm = take<ImmDt>(bytes, size, at);
    if (!imm) return false;
    out.immediate = imm->value;
  }
  const std::size_t rest = size - at;
  if (rest < out.bth.pad_count) return false;
  out.payload = bytes.sub(at, rest - out.bth.pad_count);
  return true;
}

/// Parses the first `size` bytes of `bytes`.
TransportPacket parse(const Segments& bytes, std::size_t size) {
  TransportPacket out;
  std::size_t at = 0;
  const auto bth = take<Bth>(bytes, size, at);
  if (!bth) return out;
  out.request.bth = *bth;
  const Operation op = opcode_operation(bth->opcode);
  if (bth->opcode == kOpcodeRcAck) {
    if (size != Bth::kSize + Aeth::kSize || bth->pad_count != 0) return out;
    out.aeth = *take<Aeth>(bytes, size, at);
    out.kind = TransportKind::kAcknowledge;
  } else if (bth->opcode == kOpcodeCnp) {
    out.kind = TransportKind::kCnp;
  } else if (opcode_service(bth->opcode) <= 1 && is_request(op)) {
    if (parse_request(bytes, size, at, out.request)) out.kind = TransportKind::kRequest;
  } else {
    out.kind = TransportKind::kUnknown;
  }
  return out;
}

}  // namespace

TransportPacket parse_transport(const Segments& bytes) { return parse(bytes, bytes.size()); }

TransportPacket parse_transport_with_icrc(const Segments& content) {
  return parse(content, content.size() < kIcrcSize ? 0 : content.size() - kIcrcSize);
}

}  // namespace softfeb::roce
