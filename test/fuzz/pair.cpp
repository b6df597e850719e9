// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/algorithm.hpp"
#include "world.hpp"

#include <algorithm>
#include <memory>

namespace softfeb::fuzz {

namespace {

/// Bytes per message. A message consists of four packets, of which the last one is short.
constexpr std::uint32_t kMessage = 1000;
constexpr std::uint32_t kSlots = 8;
constexpr std::size_t kGuard = 64;  ///< bytes before and after a victim's memory
constexpr std::uint8_t kUntouched = 0xee;
constexpr std::uint64_t kVictimAddress = 0x10'0000;

void add(roce::ResponderCounters& sum, const roce::ResponderCounters& c) {
  sum.packets += c.packets;
  sum.messages += c.messages;
  sum.duplicate += c.duplicate;
  sum.out_of_order += c.out_of_order;
  sum.missing_packets += c.missing_packets;
  sum.discarded += c.discarded;
  sum.access_errors += c.access_errors;
  sum.invalid_requests += c.invalid_requests;
  sum.no_receive += c.no_receive;
  sum.ignored += c.ignored;
}

}  // namespace

engine::Identity Pair::identity(const Party& who) const {
  engine::Identity id;
  id.mac = who.mac;
  id.ip = who.ip;
  id.prefix_length = v6 ? 64 : 24;
  id.vlan = vlan;
  return id;
}

namespace {

void set_if_known(congestion::AlgorithmSettings& settings, std::string_view name, double value) {
  const auto parameters = settings.algorithm->parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name == name) settings.values[i] = value;
  }
}

}  // namespace

Pair::Pair(bool six, std::uint64_t messages)
    : v6(six), messages_(messages), payload_(test::FilledPayload::counter(kMessage, kPmtu)) {
  const auto net = roce::IpAddress::parse(v6 ? "fd00::100" : "10.0.0.0");
  const std::uint8_t kind = v6 ? 6 : 4;
  board_party = {{2, kind, 0, 0, 0, 1}, net->plus(1)};
  receiver_party = {{2, kind, 0, 0, 0, 2}, net->plus(2)};
  attacker = {{2, kind, 0, 0, 0, 0x66}, net->plus(0x66)};
  if (v6) vlan = roce::VlanTag{100, 3};
  test::BoardBuilder b(identity(board_party));
  b.config.pause.mode = v6 ? engine::PauseMode::kPfc : engine::PauseMode::kPause;
  test::ReceiverBuilder r(identity(receiver_party));
  r.config.pause = b.config.pause;
  b.config.cc_port = r.config.cc_port = roce::kCongestionUdpPort;
  for (std::size_t i = 0; i < kQps; ++i) {
    add_send_qp(b, i);
    add_receive_qp(r, b.config.qps[i], i);
  }
  board = b.build();
  receiver = r.build();
  send_qps_ = b.config.qps;
  board->host().neighbours().set_static(receiver_party.ip, receiver_party.mac);
  for (std::size_t i = kVictims; i < kQps; ++i) fresh_.push_back(receiver->qp(i));
}

void Pair::add_send_qp(test::BoardBuilder& b, std::size_t i) const {
  const bool victim = i < kVictims;
  engine::SendQpConfig& s = b.qp(identity(victim ? receiver_party : attacker), *payload_, kPmtu);
  s.requester.transport = is_uc(i) ? roce::Transport::kUc : roce::Transport::kRc;
  s.requester.qpn = kBoardQpn + static_cast<roce::Qpn>(i);
  s.requester.dest_qpn = (victim ? kReceiverQpn : kAttackerQpn) + static_cast<roce::Qpn>(i);
  s.requester.initial_psn = 0xffffc0 + static_cast<roce::Psn>(i);
  s.requester.timeout = victim ? 20 : 8;  // a victim's timeout must not expire; a target's should
  s.requester.retry_count = victim || i == 3 ? 7 : 3;
  s.requester.timing = i == 3 ? roce::TimingProfile::kFirmware : roce::TimingProfile::kStandard;
  s.traffic.verb = roce::WrOpcode::kWriteImm;
  if (victim) s.traffic.messages = messages_;
  if (!victim) {
    // The targets use four algorithms, all of which receive the attacker's acknowledgements, headers and
    // grants.
    const char* const name = v6 ? (i == 2 ? "hpcc" : "timely") : (i == 2 ? "swift" : "homa");
    const congestion::Algorithm* const a = congestion::find_algorithm(name);
    congestion::AlgorithmSettings settings{a, a->defaults({.pmtu = kPmtu}), {.pmtu = kPmtu}};
    // With these values, even the attacker's short messages need grants, and the receiver soon notices that
    // the attacker has stopped sending.
    set_if_known(settings, "rtt_bytes", 2 * kPmtu);
    set_if_known(settings, "resend_interval", static_cast<double>(20 * kMicrosecond));
    s.congestion = settings;
  }
  s.traffic.rate_kind = engine::RateKind::kPackets;
  s.traffic.rate = victim ? 200'000 : 100'000;
  s.traffic.remote_address = kVictimAddress;
  s.traffic.slots = kSlots;
  s.traffic.immediate_kind = engine::ImmediateKind::kCounter;
}

void Pair::add_receive_qp(test::ReceiverBuilder& r, const engine::SendQpConfig& sender, std::size_t i) {
  const bool victim = i < kVictims;
  engine::ReceiveQpSetup& d = r.qp(sender);
  test::expect_payload(d, *payload_);
  d.qp.responder.qpn = kReceiverQpn + static_cast<roce::Qpn>(i);
  if (!victim) d.qp.responder.dest_qpn = kAttackerQpn + static_cast<roce::Qpn>(i);
  if (i == 3) d.qp.responder.receives = 1;
  if (is_uc(i)) d.qp.numbering = roce::MessageNumbering::kImmediate;
  if (!victim) d.reply_path.dest_ip = attacker.ip;
  auto& memory = memory_[i];
  if (victim) {
    memory.assign(2 * kGuard + std::size_t{kSlots} * kMessage, kUntouched);
    d.regions.push_back(
        {kVictimAddress, std::uint64_t{kSlots} * kMessage, sender.traffic.rkey, memory.data() + kGuard});
  } else {
    memory.assign(kRegionSize, 0);
    d.regions.push_back({target_region(i), kRegionSize, target_rkey(i), memory.data()});
  }
}

void Pair::renew_targets(Time now) {
  for (std::size_t i = kVictims; i < kQps; ++i) {
    if (board->qp(i).requester().state() == roce::QpState::kErr) {
      congestion::CongestionControl* const control = board->qp(i).congestion();
      std::destroy_at(&board->qp(i));
      std::destroy_at(control);
      engine::make_congestion_control(send_qps_[i].congestion, control,
                                      {kPmtu, engine::SendQp::send_queue_needed(send_qps_[i])});
      engine::SendQpDeps deps;
      deps.cc_port = roce::kCongestionUdpPort;
      std::construct_at(&board->qp(i), send_qps_[i], control, deps);
      board->qp(i).start(now);
      ++renewed;
    }
    roce::ReceiveQp& qp = receiver->qp(i);
    if (qp.responder().state() != roce::QpState::kErr) continue;
    add(ended_, qp.responder().counters());
    qp = fresh_[i - kVictims];
    ++renewed;
  }
}

roce::ResponderCounters Pair::responder_totals() const {
  roce::ResponderCounters sum = ended_;
  for (std::size_t i = kVictims; i < kQps; ++i) add(sum, receiver->qp(i).responder().counters());
  return sum;
}

std::uint64_t Pair::packets_per_victim() const { return messages_ * ((kMessage + kPmtu - 1) / kPmtu); }

/// Returns true if each slot contains the last message sent to it and if the guard bytes are unchanged.
bool Pair::memory_right(std::size_t i) const {
  const std::vector<std::uint8_t>& m = memory_[i];
  const std::size_t used = std::min<std::uint64_t>(messages_, kSlots) * kMessage;
  for (std::size_t at = 0; at < m.size(); ++at) {
    std::uint8_t expected = kUntouched;
    if (at >= kGuard && at < kGuard + used) {
      const std::uint64_t slot = (at - kGuard) / kMessage;
      const std::uint64_t message = slot + (messages_ - 1 - slot) / kSlots * kSlots;
      expected = static_cast<std::uint8_t>(message * kMessage + (at - kGuard) % kMessage);
    }
    if (m[at] != expected) return false;
  }
  return true;
}

bool Pair::victims_finished() const {
  bool all = true;
  for (std::size_t i = 0; i < kVictims; ++i) all = all && board->qp(i).finished();
  return all;
}

}  // namespace softfeb::fuzz
