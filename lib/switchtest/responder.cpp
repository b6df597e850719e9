// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/responder.hpp"

#include "base/bytes.hpp"
#include "roce/craft.hpp"
#include "roce/headers.hpp"
#include "roce/opcode.hpp"
#include "roce/psn.hpp"

#include <algorithm>
#include <array>

namespace softfeb::switchtest {

namespace {

constexpr std::uint32_t kMsnMask = 0xff'ffff;

roce::Path answer_path(const FrameKind& kind, const PortAddress& from, const PortAddress& to,
                       std::uint8_t dscp) {
  roce::Path path;
  path.source_mac = from.mac;
  path.dest_mac = to.mac;
  path.vlan = kind.vlan;
  path.source_ip = from.v4;
  path.dest_ip = to.v4.plus(kind.source_host);
  path.dscp = dscp;
  path.ecn = roce::Ecn::kNotEct;
  path.udp_source_port = kind.udp_source_port;
  return path;
}

}  // namespace

void Responder::prepare(const Trial& trial, const std::vector<RigPort>& ports, std::uint16_t port,
                        Time start) {
  rules_ = trial.answers;
  start_ = start;
  peers_.assign(trial.kinds.size(), {});
  forged_.clear();
  next_forged_ = first_ = count_ = 0;
  sent_.clear();
  overflowed_ = false;
  const std::uint8_t dscp = trial.answers.value_or(Answers{}).dscp;
  bool answers = false;
  for (const Source& source : trial.sources)
    for (const std::uint16_t k : source.kinds) {
      const FrameKind& kind = trial.kinds[k];
      if (!kind.rc_source_qp || kind.to != port) continue;
      answers = true;
      peers_[k].qp = kind.rc_source_qp;
      peers_[k].path =
          roce::HeaderTemplate(answer_path(kind, ports[port].address, ports[source.port].address, dscp));
    }
  for (const ForgedCnp& cnp : trial.forged_cnps)
    if (trial.kinds[cnp.kind].to == port) forged_.push_back({cnp.kind, start + cnp.at});
  std::stable_sort(forged_.begin(), forged_.end(),
                   [](const ForgedCnp& a, const ForgedCnp& b) { return a.at < b.at; });
  if (!answers) return;
  queue_.resize(kQueue);
  sent_.reserve(kMostCnps);
}

void Responder::take(std::uint16_t kind, std::uint64_t sequence, bool marked, Time at) {
  Peer& peer = peers_[kind];
  if (!rules_ || !peer.qp) return;
  if (marked && rules_->cnps && at >= peer.quiet_until) {
    peer.quiet_until = at + rules_->cnp_interval;
    push({kind, true, sequence, at});
  }
  if (sequence % rules_->frames_per_ack == 0) push({kind, false, sequence, at});
}

void Responder::push(const Answer& answer) {
  if (count_ == kQueue) {
    overflowed_ = true;
    return;
  }
  queue_[(first_ + count_++) % kQueue] = answer;
}

Responder::Answer Responder::pop() {
  if (count_ == 0) return {forged_[next_forged_++].kind, true, 0, 0};
  const Answer out = queue_[first_];
  first_ = (first_ + 1) % kQueue;
  --count_;
  return out;
}

Time Responder::due() const {
  if (count_ != 0) return queue_[first_].at;
  return next_forged_ < forged_.size() ? forged_[next_forged_].at : kNever;
}

void Responder::write(Time departs, engine::TxFrame& out) {
  const Answer answer = pop();
  Peer& peer = peers_[answer.kind];
  out.payload = nullptr;
  out.payload_length = 0;
  out.message = 0;
  roce::Crafted crafted;
  if (answer.cnp) {
    if (sent_.size() == kMostCnps) overflowed_ = true;
    if (!overflowed_) sent_.push_back({answer.kind, peer.cnps, departs - start_});
    crafted =
        roce::craft_cnp(peer.path, *peer.qp, roce::kDefaultPkey, peer.cnps++, out.header, out.trailer.data());
  } else {
    roce::Aeth aeth;
    aeth.msn = static_cast<std::uint32_t>(answer.sequence + 1) & kMsnMask;
    crafted = roce::craft_acknowledge(
        peer.path, aeth, static_cast<roce::Psn>(answer.sequence & roce::kPsnMask), *peer.qp,
        roce::kDefaultPkey, peer.acknowledgements++, out.header, out.trailer.data());
  }
  out.header_length = crafted.header_length;
  out.trailer_length = crafted.trailer_length;
}

std::optional<RcAnswer> read_answer(const roce::ParsedFrame& frame) {
  if (frame.kind != roce::FrameKind::kUdp || frame.dest_port != roce::kRoceUdpPort) return std::nullopt;
  std::array<std::uint8_t, roce::Bth::kSize> scratch{};
  const std::uint8_t* const p = frame.content.piece(0, scratch.size(), scratch.data());
  if (p == nullptr) return std::nullopt;
  const auto bth = roce::Bth::decode({p, roce::Bth::kSize});
  if (!bth || (bth->opcode != roce::kOpcodeCnp && bth->opcode != roce::kOpcodeRcAck)) return std::nullopt;
  if (!frame.source_ip.is_v4() || !roce::icrc_matches(frame)) return std::nullopt;
  constexpr std::size_t kIdentification = 4, kSize = 2;
  const std::uint8_t* const id = frame.datagram.piece(kIdentification, kSize, scratch.data());
  return RcAnswer{bth->opcode == roce::kOpcodeCnp, bth->dest_qp, load_be16(id)};
}

}  // namespace softfeb::switchtest
