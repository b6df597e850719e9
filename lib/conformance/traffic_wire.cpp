// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/traffic_wire.hpp"

#include <algorithm>

namespace softfeb::conformance {

namespace {

faults::FaultRules rules_of(const TrafficSpec& spec, const std::vector<TrafficQp>& qps,
                            faults::Direction direction) {
  std::vector<faults::FaultRule> rules;
  for (const TrafficRule& rule : spec.rules) rules.push_back(rule.rule);
  std::vector<faults::FaultQp> out;
  for (std::uint32_t k = 0; k < qps.size(); ++k) {
    const TrafficQp& qp = qps[k];
    if (qp.clean) continue;
    const bool tx = direction == faults::Direction::kTx;
    faults::FaultQp& to = out.emplace_back(faults::FaultQp{.source = tx ? qp.board : qp.target,
                                                           .dest = tx ? qp.target : qp.board,
                                                           .dest_qp = tx ? qp.remote : qp.own,
                                                           .first_psn = qp.first_psn,
                                                           .rules = {},
                                                           .direction = direction});
    for (std::uint32_t r = 0; r < spec.rules.size(); ++r) {
      if (!spec.rules[r].qp || spec.rules[r].qp == k) to.rules.push_back(r);
    }
  }
  return {rules, out};
}

}  // namespace

struct TrafficWire::ToTarget {
  TrafficWire& wire;
  Time now;

  static bool room() { return true; }
  bool forward(FaultFrame* frame) const {
    pass(frame, frame->changed ? TracePacket::Fault::kChanged : TracePacket::Fault::kNone);
    return true;
  }
  void drop(FaultFrame* frame) const {
    wire.ends_.lost(*frame, now);
    wire.frames_.release(frame);
  }
  void add_copy(FaultFrame* frame) const { pass(frame, TracePacket::Fault::kDuplicate); }
  void add_held(FaultFrame* frame) const { pass(frame, TracePacket::Fault::kLate); }
  void pass(FaultFrame* frame, TracePacket::Fault fault) const {
    wire.ends_.leave(*frame, fault, now);
    wire.frames_.release(frame);
  }
};

struct TrafficWire::ToSender {
  TrafficWire& wire;
  Time now;

  static bool room() { return true; }
  bool forward(FaultFrame* frame) const {
    pass(frame);
    return true;
  }
  void drop(FaultFrame* frame) const { wire.frames_.release(frame); }
  void add_copy(FaultFrame* frame) const { pass(frame); }
  void add_held(FaultFrame* frame) const { pass(frame); }
  void pass(FaultFrame* frame) const {
    wire.ends_.reach(*frame, now);
    wire.frames_.release(frame);
  }
};

TrafficWire::TrafficWire(const TrafficSpec& spec, const std::vector<TrafficQp>& qps, std::uint64_t seed,
                         Ends& ends)
    : spec_(spec),
      rng_(seed),
      ends_(ends),
      tx_(frames_, rules_of(spec, qps, faults::Direction::kTx), {}),
      rx_(frames_, rules_of(spec, qps, faults::Direction::kRx), {}) {}

template <class Exit>
void TrafficWire::pass(FaultFrame* frame, bool exempt, Actions& actions, Exit& exit, Time now) {
  if (!exempt && lose()) return exit.drop(frame);
  const auto at = exempt ? std::nullopt : faults::locate_roce(frame->bytes);
  if (!at) {
    exit.forward(frame);
    return;
  }
  const auto judged = actions.judge(frame->bytes, *at);
  if (judged.qp == faults::FaultRules::kNone) {
    exit.forward(frame);
  } else {
    actions.apply(frame, *at, judged, exit, now);
  }
}

void TrafficWire::send(FaultFrame* frame, bool exempt, Time now) {
  ToTarget exit{*this, now};
  pass(frame, exempt, tx_, exit, now);
}

void TrafficWire::receive(FaultFrame* frame, bool exempt, Time now) {
  ToSender exit{*this, now};
  pass(frame, exempt, rx_, exit, now);
}

void TrafficWire::run(Time now) {
  ToTarget out{*this, now};
  tx_.release_due(out, now);
  ToSender in{*this, now};
  rx_.release_due(in, now);
}

Time TrafficWire::next_event() const { return std::min(tx_.next_due(), rx_.next_due()); }

std::vector<RuleResult> TrafficWire::rules() const {
  std::vector<RuleResult> out;
  for (std::size_t k = 0; k < spec_.rules.size(); ++k) {
    const bool tx = spec_.rules[k].rule.on.direction == faults::Direction::kTx;
    out.push_back({.text = spec_.rules[k].text, .hits = (tx ? tx_ : rx_).counters()[k].hits});
  }
  return out;
}

}  // namespace softfeb::conformance
