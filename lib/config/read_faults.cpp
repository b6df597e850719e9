// SPDX-License-Identifier: BSD-3-Clause
#include "config/choices.hpp"
#include "config/document.hpp"
#include "config/draft.hpp"
#include "config/error.hpp"
#include "config/fault_notation.hpp"
#include "config/units.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace softfeb::config {
namespace {

using faults::Direction;
using faults::MessagePart;
using faults::PacketSelector;

/// The kind of object to which the rule belongs.
enum class Site : std::uint8_t { kPort, kLink };

/// Part of a message, or a position in it.
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

/// Parses the number of an iteration; `any` becomes 0.
Parsed<std::uint32_t> parse_iteration(const std::string& text) {
  if (text == "any") return 0U;
  const auto number = parse_integer(text, 1, PacketSelector::kMaxIteration);
  if (!number.value)
    return {'"' + text + "\" is not an iteration",
            "write any, or a number from 1 to " + std::to_string(PacketSelector::kMaxIteration)};
  return static_cast<std::uint32_t>(*number.value);
}

/// Reads `to`. On a link, a QPN requires `to`, because several boards may have queue pairs with the same QPN.
void read_receiver_of_qp(Section& s, FaultQpRef& qp) {
  const Node* const to = s.find("to");
  const Node* const qpn = s.find("qpn");
  s.read("to", qp.to, parse_text);
  if (qpn != nullptr && to == nullptr) {
    s.reading().problem(qpn->where, "boards may have queue pairs with equal QPNs",
                        "add `to: RECEIVER`, whose QPN this is, or write `qp: BOARD/INDEX`");
  } else if (qpn == nullptr && to != nullptr) {
    s.reading().problem(to->where, "names the receiver of a QPN", "add `qpn`, or remove `to`");
  }
}

void read_qp_of_rule(Section& s, Site site, FaultQpRef& qp) {
  if (site == Site::kLink) read_receiver_of_qp(s, qp);
  if (s.given("qpn")) {
    if (s.given("qp"))
      s.reading().problem(s.where(), "`qp` and `qpn` exclude each other", "keep one of them");
    qp.kind = FaultQpRef::Kind::kQpn;
    s.read("qpn", qp.qpn, integer(0, kMaxQpn));
    s.find("qp");
    return;
  }
  s.find("qpn");
  s.require("qp", qp, parse_fault_qp, site == Site::kLink ? "feb/0" : "0");
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
  // The default is any iteration in three cases: with `packet` or `every`, which already count
  // retransmissions; with `round`, which already distinguishes retransmissions; and for responses, which may
  // repeat a PSN.
  const bool any_time = on.packet || on.every || on.round || (on.direction == Direction::kRx && !on.psn);
  std::uint32_t iteration = any_time ? 0 : 1;
  s.read("iteration", iteration, parse_iteration);
  if (iteration != 0) on.iteration = iteration;
}

void read_selector(Section s, Site site, FaultRuleConfig& rule) {
  PacketSelector& on = rule.rule.on;
  read_qp_of_rule(s, site, rule.qp);
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

FaultRuleConfig read_rule(Section s, Site site) {
  FaultRuleConfig rule;
  rule.where = s.where();
  if (const Node* node = s.find("on")) {
    read_selector(Section(s.reading(), *node, s.pattern("on")), site, rule);
  } else {
    s.missing("on", site == Site::kLink ? "{qp: feb/0, psn: +4}" : "{qp: 0, psn: +4}");
  }
  read_fault_action(s, rule.rule.action);
  s.close();
  return rule;
}

void read_rules(Section& s, Site site, std::vector<FaultRuleConfig>& rules) {
  for (const Node& node : s.list("rules"))
    rules.push_back(read_rule(Section(s.reading(), node, s.pattern("rules") + "[]"), site));
}

/// Reads the limits of the packets that rules hold.
void read_limits(Section& s, std::uint32_t& packets, Time& longest) {
  s.read("held_packets", packets, integer(1, 65'536));
  s.read("max_hold", longest, time_in(kMicrosecond, kLongestHold, "`max_hold`"));
}

void read_part(Section& s, const char* key, std::uint64_t& parts) {
  Probability probability;
  if (s.read(key, probability, parse_probability)) parts = probability.parts();
}

}  // namespace

std::vector<FaultRuleConfig> read_fault_rules(const std::string& text, const std::string& file) {
  Reading reading;
  const Node document = parse_yaml(text, file);
  std::vector<FaultRuleConfig> rules;
  Section section(reading, document, "");
  read_rules(section, Site::kPort, rules);
  section.close();
  if (!reading.problems.empty()) throw ConfigError(std::move(reading.problems));
  return rules;
}

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
  read_rules(s, Site::kPort, faults.rules);
  read_limits(s, faults.held_packets, faults.max_hold);
  s.close();
  return faults;
}

void read_link_faults(Section s, fabric::LinkFaults& faults, std::vector<FaultRuleConfig>& rules) {
  read_part(s, "drop", faults.drop);
  read_part(s, "duplicate", faults.duplicate);
  read_part(s, "corrupt", faults.corrupt);
  read_part(s, "reorder", faults.reorder);
  s.read("reorder_by", faults.reorder_by, parse_time);
  read_rules(s, Site::kLink, rules);
  read_limits(s, faults.hold.packets, faults.hold.longest);
  s.close();
}

}  // namespace softfeb::config
