// SPDX-License-Identifier: BSD-3-Clause
#include "config/choices.hpp"
#include "config/draft.hpp"
#include "config/error.hpp"
#include "config/fault_notation.hpp"
#include "config/units.hpp"

#include <algorithm>
#include <string>

namespace softfeb::config {
namespace {

using faults::ActionKind;
using faults::Direction;
using faults::FaultAction;
using faults::MessagePart;
using faults::PacketSelector;

constexpr std::uint32_t kMostCopies = 16;
constexpr std::uint32_t kMostOvertaking = 65'535;
constexpr Time kLongestHold = 10 * kSecond;

/// Part of a message, or its position.
struct PartText {
  MessagePart part = MessagePart::kAll;
  std::uint32_t number = 0;
};

Parsed<PartText> parse_part(const std::string& text) {
  if (text == "first") return PartText{MessagePart::kFirst, 0};
  if (text == "last") return PartText{MessagePart::kLast, 0};
  const auto number = parse_integer(text, 0, roce::kPsnMask);
  if (!number.value)
    return {'"' + text + "\" is not a part of a message",
            "write first, last, or the position of the packet in its message, from 0"};
  return PartText{MessagePart::kNumber, static_cast<std::uint32_t>(*number.value)};
}

/// 0: any.
Parsed<std::uint32_t> parse_iteration(const std::string& text) {
  if (text == "any") return 0U;
  const auto number = parse_integer(text, 1, PacketSelector::kMaxIteration);
  if (!number.value)
    return {'"' + text + "\" is not an iteration",
            "write any, or a number from 1 to " + std::to_string(PacketSelector::kMaxIteration)};
  return static_cast<std::uint32_t>(*number.value);
}

void read_qp_of_rule(Section& s, FaultQpRef& qp) {
  if (s.given("qpn")) {
    if (s.given("qp"))
      s.reading().problem(s.where(), "`qp` and `qpn` exclude each other", "keep one of them");
    qp.kind = FaultQpRef::Kind::kQpn;
    s.read("qpn", qp.qpn, integer(0, kMaxQpn));
    s.find("qp");
    return;
  }
  s.find("qpn");
  s.require("qp", qp, parse_fault_qp, "0");
}

/// Reports keys that do not apply to the packets that the rule selects: requests, responses or CNPs.
void check_selector(Section& s, const PacketSelector& on) {
  const auto refuse = [&](const char* key, const char* message, const char* fix) {
    if (const Node* node = s.find(key)) s.reading().problem(node->where, message, fix);
  };
  if (on.direction == Direction::kRx) {
    for (const char* key : {"message", "part", "opcode", "round"})
      refuse(key, "applies to requests, and this rule has `direction: rx`", "remove the key");
  } else {
    refuse("kind", "applies to responses", "add `direction: rx`, or remove the key");
  }
  if (on.part != MessagePart::kAll && !on.message)
    refuse("part", "needs the number of a message", "add `message`");
  if (on.response == faults::ResponseKind::kCnp) {
    for (const char* key : {"psn", "packet", "iteration"})
      refuse(key, "CNPs have no PSN and no position", "use `every` or `count`");
  }
}

void read_iteration(Section& s, PacketSelector& on) {
  // The default is any iteration in three cases: `packet` and `every` already count retransmissions, `round`
  // already distinguishes them, and responses may repeat a PSN.
  const bool any_time = on.packet || on.every || on.round || (on.direction == Direction::kRx && !on.psn);
  std::uint32_t iteration = any_time ? 0 : 1;
  s.read("iteration", iteration, parse_iteration);
  if (iteration != 0) on.iteration = iteration;
}

void read_selector(Section s, FaultRuleConfig& rule) {
  PacketSelector& on = rule.rule.on;
  read_qp_of_rule(s, rule.qp);
  s.read("direction", on.direction, choices::kFaultDirection);
  s.read("psn", on.psn, parse_psns);
  s.read("packet", on.packet, parse_positions);
  s.read("every", on.every, integer(1, UINT32_MAX));
  s.read("message", on.message, integer(0, UINT64_MAX - 1));
  PartText part;
  s.read("part", part, parse_part);
  on.part = part.part;
  on.part_number = part.number;
  s.read("opcode", on.operation, choices::kWriteOperation);
  s.read("kind", on.response, choices::kResponseKind);
  s.read("round", on.round, integer(1, UINT32_MAX - 1));
  s.read("count", on.count, integer(1, UINT64_MAX));
  read_iteration(s, on);
  check_selector(s, on);
  s.close();
}

/// The mask of `xor` must fit in the target.
void check_mask(Section& s, const FaultAction& a) {
  const Node* const node = s.find("xor");
  const unsigned bits = 8 * width_of(a.target);
  if (node == nullptr || bits == 64 || a.mask >> bits == 0) return;
  s.reading().problem(node->where, "the target has only " + std::to_string(bits) + " bits",
                      "write a mask of at most " + std::to_string(bits) + " bits");
}

void read_corrupt(Section s, FaultAction& a) {
  CorruptPlace place;
  s.require("at", place, parse_corrupt_place, "payload+0");
  a.target = place.target;
  a.offset = place.offset;
  s.require("xor", a.mask, integer(1, UINT64_MAX), "0x01");
  s.read("icrc", a.right_icrc, choices::kFaultIcrc);
  check_mask(s, a);
  if (a.right_icrc && a.target == faults::CorruptTarget::kIcrc)
    s.reading().problem(s.where(), "a right iCRC cannot be corrupted", "remove `icrc: right`");
  s.close();
}

void read_replay(Section s, FaultAction& a) {
  s.require("psn", a.old, parse_psns, "+3");
  if (a.old.size() != 1)
    s.reading().problem(s.where(), "`replay` sends one packet again", "write one PSN, such as +3");
  s.close();
}

/// Reads the key of action `kind`, if it is given.
void read_action_key(Section& s, ActionKind kind, const std::string& key, FaultAction& a) {
  if (!s.given(key)) return void(s.find(key));
  a.kind = kind;
  const auto section = [&] { return Section(s.reading(), *s.find(key), s.pattern(key)); };
  switch (kind) {
    case ActionKind::kSetEcn: {
      roce::Ecn ecn = roce::Ecn::kNotEct;
      s.read(key, ecn, choices::kEcn);
      a.value = static_cast<std::uint32_t>(ecn);
      break;
    }
    case ActionKind::kSetDscp:
      s.read(key, a.value, integer(0, 63));
      break;
    case ActionKind::kSetTtl:
      s.read(key, a.value, integer(0, 255));
      break;
    case ActionKind::kTruncate:
      s.read(key, a.value, integer(1, 16'383));
      break;
    case ActionKind::kDuplicate:
      s.read(key, a.value, integer(1, kMostCopies));
      break;
    case ActionKind::kReorder:
      s.read(key, a.value, integer(1, kMostOvertaking));
      break;
    case ActionKind::kDelay:
      s.read(key, a.delay, time_in(kMicrosecond, kLongestHold, "a delay"));
      break;
    case ActionKind::kCorrupt:
      return read_corrupt(section(), a);
    case ActionKind::kReplay:
      return read_replay(section(), a);
    case ActionKind::kMarkCe:
    case ActionKind::kDrop:
      s.reading().problem(s.find(key)->where, "this action has no value", "write `do: " + key + '`');
  }
}

std::string all_actions() {
  std::string all;
  for (const auto& [name, kind] : choices::kFaultAction.names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

/// Reads an action without a value: `do: drop`.
void read_plain_action(Reading& reading, const Node& node, FaultAction& a) {
  std::vector<std::string> names;
  for (const auto& [name, kind] : choices::kFaultAction.names) {
    names.push_back(name);
    if (name != node.text) continue;
    a.kind = kind;
    if (kind == ActionKind::kDrop || kind == ActionKind::kMarkCe) return;
    return reading.problem(node.where, '`' + name + "` needs a value", "write `do: {" + name + ": …}`");
  }
  const std::string* const near = nearest(node.text, names);
  reading.problem(node.where, '"' + node.text + "\" is not an action",
                  (near != nullptr ? "did you mean `" + *near + "`? Otherwise write" : "write") +
                      (" one of " + all_actions()));
}

void read_action(Section& parent, FaultAction& a) {
  const Node* const node = parent.find("do");
  if (node == nullptr) return parent.missing("do", "drop");
  if (node->kind == Node::Kind::kScalar) return read_plain_action(parent.reading(), *node, a);
  Section s(parent.reading(), *node, parent.pattern("do"));
  for (const auto& [name, kind] : choices::kFaultAction.names) {
    // An action without a value is not a key of `do`. If the file contains it as a key, read_action_key()
    // reports this.
    const bool plain = kind == ActionKind::kDrop || kind == ActionKind::kMarkCe;
    if (!plain || s.given(name)) read_action_key(s, kind, name, a);
  }
  s.close();
  if (node->children.size() != 1)
    s.reading().problem(node->where, "a rule has one action", "write one of " + all_actions());
}

FaultRuleConfig read_rule(Section s) {
  FaultRuleConfig rule;
  rule.where = s.where();
  if (const Node* node = s.find("on")) {
    read_selector(Section(s.reading(), *node, s.pattern("on")), rule);
  } else {
    s.missing("on", "{qp: 0, psn: +4}");
  }
  read_action(s, rule.rule.action);
  s.close();
  return rule;
}

}  // namespace

FaultConfig read_port_faults(Section s) {
  FaultConfig faults;
  faults.where = s.where();
  s.read("seed", faults.seed, integer(0, UINT64_MAX));
  s.read("tx_drop", faults.tx_drop, parse_probability);
  s.read("rx_drop", faults.rx_drop, parse_probability);
  s.read("tx_corrupt", faults.tx_corrupt, parse_probability);
  s.read("tx_duplicate", faults.tx_duplicate, parse_probability);
  s.read("tx_reorder", faults.tx_reorder, parse_probability);
  s.read("tx_mark_ce", faults.tx_mark_ce, parse_probability);
  for (const Node& node : s.list("rules"))
    faults.rules.push_back(read_rule(Section(s.reading(), node, s.pattern("rules") + "[]")));
  s.read("held_packets", faults.held_packets, integer(1, 65'536));
  s.read("max_hold", faults.max_hold, time_in(kMicrosecond, kLongestHold, "`max_hold`"));
  s.close();
  return faults;
}

}  // namespace softfeb::config
