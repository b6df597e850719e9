// SPDX-License-Identifier: BSD-3-Clause
#include "faults/fault_rules.hpp"

#include "roce/headers.hpp"

#include <algorithm>
#include <bit>

namespace softfeb::faults {
namespace {

/// How a rule with an iteration counts the transmissions of a PSN.
enum class PassCount : std::uint8_t {
  kNone,    ///< no counters, because the rule has no iteration
  kFresh,   ///< iteration 1: no counters, because a PSN above all earlier ones is sent for the first time
  kEach,    ///< one counter for each PSN of the rule
  kWindow,  ///< one counter for each of the latest kWindow PSNs
};

PassCount pass_count(const PacketSelector& on) {
  if (!on.iteration) return PassCount::kNone;
  if (on.psn) return PassCount::kEach;
  return on.direction == Direction::kTx && *on.iteration == 1 ? PassCount::kFresh : PassCount::kWindow;
}

std::uint64_t mix(std::uint64_t seed, std::uint64_t word) {
  seed = (seed ^ word) * 0x9e37'79b9'7f4a'7c15U;
  return seed ^ (seed >> 29);
}

bool is_wire_request(std::uint8_t opcode) {
  return roce::opcode_service(opcode) <= static_cast<unsigned>(roce::Transport::kUc) &&
         roce::is_request(roce::opcode_operation(opcode));
}

}  // namespace

std::uint64_t FaultRules::memory_needed(const std::vector<FaultRule>& rules,
                                        const std::vector<FaultQp>& qps) {
  std::uint64_t bytes = 0;
  for (const FaultQp& qp : qps) {
    for (const std::uint32_t r : qp.rules) {
      const PacketSelector& on = rules[r].on;
      if (pass_count(on) == PassCount::kEach) bytes += on.psn->size();
      if (pass_count(on) == PassCount::kWindow) bytes += kWindow * sizeof(std::uint32_t);
    }
  }
  return bytes;
}

FaultRules::FaultRules(const std::vector<FaultRule>& rules, const std::vector<FaultQp>& qps)
    : rules_(rules), counters_(rules.size()) {
  hits_.reserve(2 * rules.size());
  table_.resize(std::bit_ceil(2 * qps.size() + 1));
  for (const FaultQp& qp : qps) {
    std::vector<std::uint32_t> own;
    for (const std::uint32_t r : qp.rules) {
      if (rules[r].on.direction == qp.direction) own.push_back(r);
    }
    if (own.empty() || find(qp) != kNone) continue;
    std::stable_sort(own.begin(), own.end(), [&](std::uint32_t a, std::uint32_t b) {
      return rules[a].action.kind < rules[b].action.kind;
    });
    Qp entry;
    entry.key = {qp.source, qp.dest, qp.dest_qp, qp.first_psn, {}, qp.direction};
    entry.next = entry.follows = qp.first_psn;
    entry.first_state = static_cast<std::uint32_t>(states_.size());
    for (const std::uint32_t r : own) add_state(r);
    entry.last_state = static_cast<std::uint32_t>(states_.size());
    qps_.push_back(std::move(entry));
    std::size_t slot = hash(qp) & (table_.size() - 1);
    while (table_[slot] != 0) slot = (slot + 1) & (table_.size() - 1);
    table_[slot] = static_cast<std::uint32_t>(qps_.size());
  }
}

void FaultRules::add_state(std::uint32_t rule) {
  State state;
  state.rule = rule;
  const PacketSelector& on = rules_[rule].on;
  if (pass_count(on) == PassCount::kEach) {
    state.passes = passes_.size();
    passes_.resize(passes_.size() + on.psn->size());
  } else if (pass_count(on) == PassCount::kWindow) {
    state.passes = recent_.size();
    recent_.resize(recent_.size() + kWindow);
  }
  states_.push_back(state);
}

std::uint64_t FaultRules::hash(const FaultQp& key) {
  std::uint64_t h = mix(key.dest_qp, load_le64(&key.source.bytes[8]));
  h = mix(h, load_le64(&key.dest.bytes[8]));
  h = mix(h, load_le64(&key.source.bytes[0]));
  return mix(h, load_le64(&key.dest.bytes[0]));
}

std::uint32_t FaultRules::find(const FaultQp& key) const {
  for (std::size_t slot = hash(key) & (table_.size() - 1); table_[slot] != 0;
       slot = (slot + 1) & (table_.size() - 1)) {
    const FaultQp& other = qps_[table_[slot] - 1].key;
    if (other.dest_qp == key.dest_qp && other.direction == key.direction && other.source == key.source &&
        other.dest == key.dest)
      return table_[slot] - 1;
  }
  return kNone;
}

/// Reads the kind of a response. Returns false for packets that are no responses.
bool FaultRules::read_response(ByteSpan frame, const RoceLocation& at, Packet& packet) {
  if (packet.opcode == roce::kOpcodeCnp) {
    packet.kind = ResponseKind::kCnp;
    return packet.response = true;
  }
  if (packet.opcode != roce::kOpcodeRcAck) return false;
  const auto aeth = roce::Aeth::decode(frame.subspan(at.bth + roce::Bth::kSize));
  if (!aeth) return false;
  switch (aeth->kind()) {
    case roce::AethKind::kAck:
      packet.kind = ResponseKind::kAck;
      break;
    case roce::AethKind::kRnrNak:
      packet.kind = ResponseKind::kRnr;
      break;
    default:
      packet.kind = ResponseKind::kNak;
  }
  return packet.response = true;
}

/// Updates the queue pair's counters for a packet, and stores the packet's position, index and round in
/// `packet`.
void FaultRules::follow(Qp& qp, Packet& packet) {
  if (packet.cnp()) return;
  packet.position = qp.packets++;
  if (!packet.request) return;
  const std::int32_t ahead = roce::psn_diff(packet.psn, qp.next);
  packet.index = qp.next_index + ahead;
  packet.fresh = ahead >= 0;
  const bool begins = roce::begins_message(roce::opcode_operation(packet.opcode));
  if (packet.fresh) {
    qp.next = roce::psn_add(packet.psn, 1);
    qp.next_index = packet.index + 1;
    if (begins) ++qp.messages;
  }
  packet.messages = qp.messages;
  if (begins) {
    qp.round = 1;
  } else if (packet.psn != qp.follows && qp.round != UINT32_MAX) {
    ++qp.round;
  }
  qp.follows = roce::psn_add(packet.psn, 1);
  packet.round = qp.round;
}

/// True if the packet is in the message that the rule selects, and at the selected position in it. The packet
/// indices of the message are recorded at its first transmission, so that its retransmitted packets are
/// recognized.
bool FaultRules::in_message(State& state, const PacketSelector& on, const Packet& packet) {
  if (packet.fresh && packet.messages == *on.message + 1) {
    if (!state.message_begun) state.message_first = packet.index;
    state.message_begun = true;
    state.message_last = packet.index;
  }
  if (!state.message_begun || packet.index < state.message_first || packet.index > state.message_last)
    return false;
  switch (on.part) {
    case MessagePart::kAll:
      return true;
    case MessagePart::kFirst:
      return packet.index == state.message_first;
    case MessagePart::kLast:
      return roce::ends_message(roce::opcode_operation(packet.opcode));
    case MessagePart::kNumber:
      return packet.index - state.message_first == on.part_number;
  }
  return false;
}

bool FaultRules::right_iteration(State& state, const PacketSelector& on, const Qp& qp, const Packet& packet) {
  constexpr std::uint32_t kCount = 0xff;
  switch (pass_count(on)) {
    case PassCount::kNone:
      return true;
    case PassCount::kFresh:
      return packet.fresh;
    case PassCount::kEach: {
      std::uint8_t& passes = passes_[state.passes + on.psn->position(packet.psn, qp.key.first_psn)];
      // The count is saturated, so later transmissions cannot match.
      if (passes == kCount) return false;
      return ++passes == *on.iteration;
    }
    case PassCount::kWindow: {
      std::uint32_t& recent = recent_[state.passes + packet.psn % kWindow];
      if (recent >> 8 != packet.psn) recent = packet.psn << 8;
      if ((recent & kCount) == kCount) return false;
      return (++recent & kCount) == *on.iteration;
    }
  }
  return false;
}

bool FaultRules::selects(State& state, const Qp& qp, const Packet& packet) {
  const PacketSelector& on = rules_[state.rule].on;
  if (on.response ? packet.kind != *on.response : packet.cnp()) return false;
  // in_message() and right_iteration() count packets, so they must also see packets that other conditions
  // exclude.
  if (on.message && !in_message(state, on, packet)) return false;
  if (on.operation && roce::opcode_operation(packet.opcode) != *on.operation) return false;
  if (on.psn && !on.psn->contains(packet.psn, qp.key.first_psn)) return false;
  if (!right_iteration(state, on, qp, packet)) return false;
  if (on.packet && (packet.position < on.packet->first || packet.position > on.packet->last)) return false;
  if (on.round && packet.round != *on.round) return false;
  if (on.every && ++state.met % *on.every != 0) return false;
  if (on.count && state.selected == *on.count) return false;
  ++state.selected;
  return true;
}

/// If the rule replays the packet later, adds a hit with `keep` set.
void FaultRules::to_keep(std::uint32_t state, const Qp& qp, const Packet& packet) {
  State& s = states_[state];
  const FaultAction& action = rules_[s.rule].action;
  if (action.kind != ActionKind::kReplay || s.kept || !action.old.contains(packet.psn, qp.key.first_psn))
    return;
  if (packet.cnp()) return;  // the PSN of a CNP has no meaning, even if it equals action.old
  s.kept = true;
  hits_.push_back({s.rule, state, true});
}

FaultRules::Judgement FaultRules::judge(ByteSpan frame, const RoceLocation& at) {
  hits_.clear();
  if (!active()) return {};
  FaultQp key;
  const std::uint8_t* const ip = frame.data() + at.ip;
  key.source = at.ipv6 ? roce::IpAddress::from_v6_wire(ip + 8) : roce::IpAddress::from_v4_wire(ip + 12);
  key.dest = at.ipv6 ? roce::IpAddress::from_v6_wire(ip + 24) : roce::IpAddress::from_v4_wire(ip + 16);
  key.dest_qp = at.dest_qp;
  Packet packet;
  packet.psn = at.psn;
  packet.opcode = frame[at.bth];
  packet.request = is_wire_request(packet.opcode);
  key.direction = packet.request ? Direction::kTx : Direction::kRx;
  const std::uint32_t found = find(key);
  if (found == kNone) return {};
  if (!packet.request && !read_response(frame, at, packet)) return {};
  Qp& qp = qps_[found];
  follow(qp, packet);
  for (std::uint32_t s = qp.first_state; s != qp.last_state; ++s) {
    to_keep(s, qp, packet);
    if (selects(states_[s], qp, packet)) hits_.push_back({states_[s].rule, s, false});
  }
  return {found, hits_};
}

}  // namespace softfeb::faults
