// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/answer.hpp"

#include "roce/opcode.hpp"

#include <array>
#include <cstdio>

namespace softfeb::conformance {

namespace {

bool carries_aeth(std::uint8_t opcode) {
  return opcode == roce::kOpcodeRcAck || opcode == kOpcodeReadFirst || opcode == kOpcodeReadLast ||
         opcode == kOpcodeReadOnly || opcode == kOpcodeAtomicAck;
}

constexpr std::array<const char*, 23> kOperations = {"SEND FIRST",
                                                     "SEND MIDDLE",
                                                     "SEND LAST",
                                                     "SEND LAST with immediate",
                                                     "SEND ONLY",
                                                     "SEND ONLY with immediate",
                                                     "WRITE FIRST",
                                                     "WRITE MIDDLE",
                                                     "WRITE LAST",
                                                     "WRITE LAST with immediate",
                                                     "WRITE ONLY",
                                                     "WRITE ONLY with immediate",
                                                     "READ request",
                                                     "READ response FIRST",
                                                     "READ response MIDDLE",
                                                     "READ response LAST",
                                                     "READ response ONLY",
                                                     "ACK",
                                                     "atomic ACK",
                                                     "CMP_SWAP",
                                                     "FETCH_ADD",
                                                     "reserved opcode 0x15",
                                                     "SEND LAST with invalidate"};

std::string hex(const char* format, unsigned value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

}  // namespace

std::optional<Answer> read_answer(const Segments& whole, const roce::ParsedFrame& frame, Time at) {
  const Segments transport = roce::transport_bytes(frame);
  std::array<std::uint8_t, roce::Bth::kSize + 4> head{};
  const std::size_t have = transport.copy(0, head.size(), head.data());
  const auto bth = roce::Bth::decode(ByteSpan(head).first(have));
  if (!bth) return std::nullopt;
  Answer out;
  out.at = at;
  out.opcode = bth->opcode;
  out.psn = bth->psn;
  out.dest_qp = bth->dest_qp;
  out.source_ip = frame.source_ip;
  out.bth = *bth;
  std::size_t headers = roce::Bth::kSize;
  if (carries_aeth(out.opcode)) {
    out.aeth = roce::Aeth::decode(ByteSpan(head).first(have).subspan(roce::Bth::kSize));
    headers += roce::Aeth::kSize;
  }
  if (out.is_cnp()) headers = roce::kCnpSize;
  const std::size_t behind = headers + bth->pad_count;
  out.payload = transport.size() > behind ? transport.size() - behind : 0;
  out.truncated = transport.size() < behind;
  out.icrc_right = roce::icrc_matches(frame);
  out.frame.resize(whole.size());
  whole.copy(0, whole.size(), out.frame.data());
  return out;
}

std::string describe_opcode(std::uint8_t opcode, const std::optional<roce::Aeth>& aeth) {
  if (opcode == roce::kOpcodeCnp) return "CNP";
  if (opcode == roce::kOpcodeRcAck && aeth) {
    if (aeth->kind() == roce::AethKind::kRnrNak) return "RNR NAK";
    if (aeth->kind() != roce::AethKind::kAck) return hex("NAK 0x%02X", aeth->syndrome);
  }
  const unsigned operation = opcode & 0x1fU;
  const unsigned service = opcode >> 5;
  if (service > 1 || operation >= kOperations.size() || operation == 0x15)
    return hex("opcode 0x%02X", opcode);
  return (service == 1 ? "UC " : "") + std::string(kOperations[operation]);
}

std::string describe_psn(roce::Psn psn, roce::Psn first) {
  constexpr roce::Psn kNear = 1U << 16;
  const roce::Psn ahead = (psn - first) & roce::kPsnMask;
  const roce::Psn behind = (first - psn) & roce::kPsnMask;
  if (ahead == 0) return "e";
  if (ahead < kNear) return "e+" + std::to_string(ahead);
  if (behind < kNear) return "e-" + std::to_string(behind);
  return hex("0x%06X", psn);
}

}  // namespace softfeb::conformance
