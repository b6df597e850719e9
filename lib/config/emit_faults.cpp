// SPDX-License-Identifier: BSD-3-Clause
#include "config/choices.hpp"
#include "config/emit.hpp"
#include "config/fault_notation.hpp"
#include "config/units.hpp"

namespace softfeb::config {
namespace {

using faults::ActionKind;

Json emit_selector(const FaultQpRef& qp, const faults::PacketSelector& on) {
  Json json;
  if (qp.kind == FaultQpRef::Kind::kQpn) {
    json["qpn"] = qp.qpn;
    if (!qp.to.empty()) json["to"] = qp.to;
  } else {
    json["qp"] = format_fault_qp(qp);
  }
  json["direction"] = choices::kFaultDirection.name(on.direction);
  if (on.psn) json["psn"] = format_psns(*on.psn);
  if (on.packet) json["packet"] = format_positions(*on.packet);
  if (on.every) json["every"] = *on.every;
  if (on.message) json["message"] = *on.message;
  if (on.part == faults::MessagePart::kFirst) json["part"] = "first";
  if (on.part == faults::MessagePart::kLast) json["part"] = "last";
  if (on.part == faults::MessagePart::kNumber) json["part"] = on.part_number;
  if (on.operation) json["opcode"] = choices::kWriteOperation.name(*on.operation);
  if (on.response) json["kind"] = choices::kResponseKind.name(*on.response);
  if (on.round) json["round"] = *on.round;
  if (on.count) json["count"] = *on.count;
  const bool cnp = on.response == faults::ResponseKind::kCnp;
  if (!cnp) json["iteration"] = on.iteration ? Json(*on.iteration) : Json("any");
  return json;
}

Json emit_action(const faults::FaultAction& a) {
  const std::string& name = choices::kFaultAction.name(a.kind);
  switch (a.kind) {
    case ActionKind::kDrop:
    case ActionKind::kMarkCe:
      return name;
    case ActionKind::kSetEcn:
      return {{name, choices::kEcn.name(static_cast<roce::Ecn>(a.value))}};
    case ActionKind::kDelay:
      return {{name, format_time(a.delay)}};
    case ActionKind::kReplay:
      return {{name, {{"psn", format_psns(a.old)}}}};
    case ActionKind::kCorrupt:
      return {{name,
               {{"at", format_corrupt_place({a.target, a.offset})},
                {"xor", a.mask},
                {"icrc", choices::kFaultIcrc.name(a.right_icrc)}}}};
    default:
      return {{name, a.value}};
  }
}

}  // namespace

void emit_rules(Json& json, const std::vector<FaultRuleConfig>& rules, const faults::HoldLimits& hold) {
  json["rules"] = Json::array();
  for (const FaultRuleConfig& r : rules)
    json["rules"].push_back({{"on", emit_selector(r.qp, r.rule.on)}, {"do", emit_action(r.rule.action)}});
  json["held_packets"] = hold.packets;
  json["max_hold"] = format_time(hold.longest);
}

Json emit_faults(const FaultConfig& faults) {
  Json json{{"seed", faults.seed},
            {"tx_drop", format_probability(faults.tx_drop)},
            {"rx_drop", format_probability(faults.rx_drop)},
            {"tx_corrupt", format_probability(faults.tx_corrupt)},
            {"tx_duplicate", format_probability(faults.tx_duplicate)},
            {"tx_reorder", format_probability(faults.tx_reorder)},
            {"tx_mark_ce", format_probability(faults.tx_mark_ce)}};
  emit_rules(json, faults.rules, {faults.held_packets, faults.max_hold});
  return json;
}

}  // namespace softfeb::config
