// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/checkers.hpp"

#include "roce/opcode.hpp"

#include <algorithm>

namespace softfeb::conformance {

namespace {

constexpr std::size_t kAtomicAckPayload = 8;
constexpr std::size_t kIpv4FlagsAt = 6;

bool is_response(std::uint8_t opcode) {
  return (opcode >= kOpcodeReadFirst && opcode <= kOpcodeReadOnly) || opcode == roce::kOpcodeRcAck ||
         opcode == kOpcodeAtomicAck;
}

std::string wrong_ip(const Answer& answer) {
  constexpr std::size_t kEthernet = roce::kEthernetSize;
  const auto& frame = answer.frame;
  if (frame.size() < kEthernet + roce::kIpv4Size) return {};
  const std::uint16_t type = load_be16(&frame[12]);
  const std::size_t ip = type == roce::kEtherTypeVlan ? kEthernet + roce::kVlanTagSize : kEthernet;
  if (frame.size() < ip + roce::kIpv4Size || frame[ip] >> 4 != 4) return {};
  if (frame[ip] != 0x45) return "the IPv4 header has options (CA17-3)";
  if (load_be16(&frame[ip + kIpv4FlagsAt]) != 0x4000)
    return "DF is not set, or the packet is a fragment (CA17-7)";
  return {};
}

std::string wrong_acknowledge(const Answer& answer) {
  if (answer.aeth->kind() == roce::AethKind::kReserved) return "a reserved AETH syndrome";
  if (answer.payload != 0) return "an acknowledgement with a payload";
  if (answer.bth.pad_count != 0) return "an acknowledgement with pad";
  return {};
}

}  // namespace

std::string wrong_form(const Answer& answer, roce::Transport transport) {
  if (!answer.icrc_right) return "the iCRC is wrong";
  if (answer.truncated) return "the packet is shorter than its headers and pad";
  if (answer.bth.tver != 0) return "the transport version is not 0";
  if (const std::string ip = wrong_ip(answer); !ip.empty()) return ip;
  if (answer.is_cnp()) {
    if (!answer.bth.becn) return "a CNP without BECN (annex A17.9.3)";
    return answer.payload == 0 ? "" : "a CNP is longer than its 16 reserved bytes";
  }
  // CNPs are exempt from this check: their P_Key must be that of the marked packet, which only the case
  // knows.
  if ((answer.bth.pkey & 0x7fff) != (roce::kDefaultPkey & 0x7fff))
    return "the P_Key is not that of the queue pair";
  if (transport == roce::Transport::kUc) return "a response on UC, which has none";
  if (!is_response(answer.opcode)) return "a request from a responder";
  if (answer.bth.ack_req) return "AckReq is set in a response";
  if (answer.opcode == roce::kOpcodeRcAck) return wrong_acknowledge(answer);
  if (answer.opcode == kOpcodeAtomicAck && answer.payload != kAtomicAckPayload)
    return "an atomic acknowledgement without the 8 bytes of the original value";
  return {};
}

void AckChecker::sent(const ScriptPacket& packet, bool spoilt) {
  if (packet.spec.kind == PacketKind::kCnp) return;
  const std::uint32_t at = index(packet.psn);
  if (at >= 1U << 23) before_first_ = true;
  for (std::uint32_t k = 0; k < packet.psns; ++k) duplicates_ = !sent_.insert(at + k).second || duplicates_;
  spoilt_ = spoilt_ || spoilt;
  if (ends(packet.spec.kind)) ends_.insert(at);
  for (auto next = static_cast<std::uint32_t>(messages_.size()); sent_.count(next) != 0; ++next)
    messages_.push_back((messages_.empty() ? 0 : messages_.back()) +
                        static_cast<std::uint32_t>(ends_.count(next)));
}

std::string AckChecker::answer(const Answer& answer) {
  if (!answer.aeth || answer.is_cnp()) return {};
  const std::uint32_t at = index(answer.psn);
  const bool ack = answer.is_ack();
  if (spoilt_) return {};
  if (at >= 1U << 23) return before_first_ ? "" : "acknowledges a PSN before the first one";
  if (sent_.empty() || at > *sent_.rbegin()) return "acknowledges a PSN that was not sent";
  if (!ack || answer.opcode != roce::kOpcodeRcAck) return {};
  if (acked_ && at < *acked_ && !duplicates_) return "acknowledges an older PSN than the answer before";
  acked_ = std::max(acked_.value_or(0), at);
  // The number of messages is known only up to the first PSN that was never sent.
  if (duplicates_ || at >= messages_.size()) return {};
  const std::uint32_t messages = messages_[at];
  if (answer.aeth->msn == (messages & roce::kPsnMask)) return {};
  return "MSN " + std::to_string(answer.aeth->msn) + " although " + std::to_string(messages) +
         " messages end at or before this PSN";
}

std::string CnpChecker::answer(const Answer& answer) {
  if (!answer.is_cnp()) {
    const bool nak = answer.aeth && answer.aeth->kind() == roce::AethKind::kNakSequence;
    if (nak && with_naks_) ++causes_;
    return {};
  }
  return ++cnps_ <= causes_ + (with_naks_ ? kAhead : 0) ? "" : "a CNP although no packet was marked CE";
}

}  // namespace softfeb::conformance
