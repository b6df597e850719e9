// SPDX-License-Identifier: BSD-3-Clause
// Resolves the fault rules of links: finds the queue pairs whose packets pass over the link, in the direction
// of the rule.
#include "config/draft.hpp"
#include "config/error.hpp"
#include "config/fault_match.hpp"
#include "config/link_ends.hpp"
#include "fabric/hops.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace softfeb::config {
namespace {

using fabric::NodeRef;
using faults::Direction;

/// Stations of the network at which packets of an endpoint may enter or leave: the endpoint's own station or,
/// if the endpoint has none, every port to another network.
using Places = std::vector<std::uint32_t>;

/// A queue pair, and the stations between which its packets travel.
struct Flow {
  std::size_t board = 0;
  std::uint32_t on_board = 0;
  const QpConfig* qp = nullptr;
  std::optional<std::size_t> receiver;  ///< receiver of this file, index into RunConfig::receivers
  std::uint32_t receiver_qpn = 0;       ///< QPN at that receiver
  Places from, to;
};

Places outside(const LabConfig& config) {
  Places ports;
  for (const auto& [station, port] : config.port_stations) ports.push_back(station);
  return ports;
}

/// Returns the places of an endpoint. `endpoint` is an index into LabConfig::station_of.
Places places_of(const LabConfig& config, std::size_t endpoint) {
  const auto station = config.station_of[endpoint];
  return station ? Places{*station} : outside(config);
}

/// Returns the places of the responder for a target that does not name a receiver. If the target is the
/// address of a receiver in this file, these are the places of that receiver.
Places places_of(const LabConfig& config, const Target& target) {
  if (const auto* to = std::get_if<AddressTarget>(&target)) {
    for (std::size_t r = 0; r < config.run.receivers.size(); ++r) {
      if (config.run.receivers[r].endpoint.ip == to->ip)
        return places_of(config, config.run.boards.size() + r);
    }
  }
  return outside(config);
}

/// Returns the queue pairs of all boards. Flow::on_board and Flow::receiver_qpn have the values that
/// endpoints::Plans assigns.
std::vector<Flow> flows_of(const LabConfig& config) {
  const std::vector<BoardConfig>& boards = config.run.boards;
  std::vector<std::uint32_t> planned(config.run.receivers.size(), 0);
  std::vector<Flow> flows;
  for (std::size_t b = 0; b < boards.size(); ++b) {
    std::uint32_t on_board = 0;
    for (const QpConfig& qp : boards[b].qps) {
      for (std::uint32_t i = 0; i < qp.count; ++i) {
        Flow flow{b, on_board++, &qp, {}, 0, places_of(config, b), {}};
        if (const auto* to = std::get_if<ReceiverTarget>(&qp.to)) {
          flow.receiver = to->receivers[i % to->receivers.size()];
          flow.receiver_qpn = config.run.receivers[*flow.receiver].qpn + planned[*flow.receiver]++;
          flow.to = places_of(config, boards.size() + *flow.receiver);
        } else {
          flow.to = places_of(config, qp.to);
        }
        flows.push_back(std::move(flow));
      }
    }
  }
  return flows;
}

/// True if the requests or responses of a flow may pass over a link, from its node `a` to `b` or (`back`)
/// from `b` to `a`.
bool crosses(const fabric::Hops& hops, std::size_t link, const Flow& flow, Direction direction, bool back) {
  const bool request = direction == Direction::kTx;
  const Places& from = request ? flow.from : flow.to;
  const Places& to = request ? flow.to : flow.from;
  return std::any_of(from.begin(), from.end(), [&](std::uint32_t a) {
    return std::any_of(to.begin(), to.end(),
                       [&](std::uint32_t z) { return hops.may_pass(link, back, a, z); });
  });
}

class LinkRuleResolver {
 public:
  LinkRuleResolver(Reading& reading, LabConfig& config)
      : reading_(reading), config_(config), flows_(flows_of(config)), hops_(config.network) {}

  void resolve(const LinkDraft& draft) {
    links_.clear();
    for (std::size_t l = 0; l < config_.network.links.size(); ++l) {
      if (config_.link_wheres[l].key == draft.where.key) links_.push_back(l);
    }
    for (std::size_t d = 0; d < 2; ++d) {
      for (const std::size_t l : links_) {
        LinkRulesConfig& out = config_.link_rules[l][d];
        out.where = draft.rules_where[d];
        const fabric::LinkConfig& link = config_.network.links[l];
        out.hold = (d == 0 ? link.a_to_b : link.b_to_a).hold;
      }
    }
    if (!draft.faults_back) {
      // Without section `faults_back`, the rules of section `faults` act in both directions.
      for (const FaultRuleConfig& rule : draft.rules[0]) resolve(draft, rule, true, true);
      return;
    }
    for (const FaultRuleConfig& rule : draft.rules[0]) resolve(draft, rule, true, false);
    for (const FaultRuleConfig& rule : draft.rules[1]) resolve(draft, rule, false, true);
  }

 private:
  void problem(const FaultRuleConfig& rule, const std::string& key, std::string message, std::string fix) {
    reading_.problem(config_.run.place(rule.where, "on." + key), std::move(message), std::move(fix));
  }

  void resolve(const LinkDraft& draft, const FaultRuleConfig& rule, bool there, bool back) {
    const std::vector<const Flow*> selected = select(rule);
    if (selected.empty()) return;
    std::vector<const Flow*> matching;
    std::optional<NoMatch> why;
    for (const Flow* flow : selected) {
      auto no = no_match(rule.rule.on, config_.run.boards[flow->board], *flow->qp);
      if (!no) matching.push_back(flow);
      if (!why) why = std::move(no);
    }
    if (matching.empty()) return problem(rule, why->key, why->message, why->fix);
    bool any = false;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (there) any = add(rule, matching, i, false) || any;
      if (back) any = add(rule, matching, i, true) || any;
    }
    if (!any) refuse(draft, rule, matching, there, back);
  }

  /// Adds the rule to one direction of link `i` of the draft. Returns false if no packets of `selected` pass
  /// over the link in this direction.
  bool add(const FaultRuleConfig& rule, const std::vector<const Flow*>& selected, std::size_t i, bool back) {
    const Direction direction = rule.rule.on.direction;
    LinkRulesConfig& out = config_.link_rules[links_[i]][back ? 1 : 0];
    const auto index = static_cast<std::uint32_t>(out.rules.size());
    bool any = false;
    for (const Flow* flow : selected) {
      if (!crosses(hops_, links_[i], *flow, direction, back)) continue;
      qp_of(out, *flow, direction).rules.push_back(index);
      any = true;
    }
    if (any) out.rules.push_back(rule);
    return any;
  }

  LinkRulesConfig::Qp& qp_of(LinkRulesConfig& out, const Flow& flow, Direction direction) {
    const auto [found, fresh] = places_.try_emplace({&out, &flow, direction}, out.qps.size());
    if (fresh) out.qps.push_back({flow.board, flow.on_board, direction, {}});
    return out.qps[found->second];
  }

  void refuse(const LinkDraft& draft, const FaultRuleConfig& rule, const std::vector<const Flow*>& selected,
              bool there, bool back) {
    const std::string key = rule.qp.kind == FaultQpRef::Kind::kQpn ? "qpn" : "qp";
    const std::string what = rule.rule.on.direction == Direction::kTx ? "requests" : "responses";
    bool other = false;
    for (const Flow* flow : selected) {
      for (const std::size_t link : links_)
        other = other || crosses(hops_, link, *flow, rule.rule.on.direction, there);
    }
    if (other && there != back) {
      return problem(rule, key,
                     "the " + what + " of this queue pair pass over the link from \"" +
                         draft.ends[there ? 1 : 0] + "\" to \"" + draft.ends[there ? 0 : 1] + '"',
                     there ? "write the rule in `faults_back`" : "write the rule in `faults`");
    }
    problem(rule, key, "the " + what + " of this queue pair do not pass over this link",
            "write the rule at a link between board and receiver");
  }

  /// Returns the queue pairs that a rule names; empty after a problem has been reported.
  std::vector<const Flow*> select(const FaultRuleConfig& rule) {
    switch (rule.qp.kind) {
      case FaultQpRef::Kind::kIndex:
        return select_index(rule);
      case FaultQpRef::Kind::kQpn:
        return select_qpn(rule);
      case FaultQpRef::Kind::kAny:
        break;
    }
    std::vector<const Flow*> all;
    for (const Flow& flow : flows_) all.push_back(&flow);
    if (all.empty()) problem(rule, "qp", "no board has queue pairs", "add `qps` to a board");
    return all;
  }

  std::vector<const Flow*> select_index(const FaultRuleConfig& rule) {
    const std::vector<BoardConfig>& boards = config_.run.boards;
    const std::string index = std::to_string(rule.qp.index);
    if (rule.qp.board.empty()) {
      problem(rule, "qp", "a link carries the packets of several boards",
              "write BOARD/INDEX, for example " + boards.front().endpoint.name + '/' + index);
      return {};
    }
    const auto board = std::find_if(boards.begin(), boards.end(),
                                    [&](const BoardConfig& b) { return b.endpoint.name == rule.qp.board; });
    if (board == boards.end()) {
      unknown(rule, "qp", "board", rule.qp.board, boards);
      return {};
    }
    std::uint32_t count = 0;
    for (const Flow& flow : flows_) {
      if (flow.board != static_cast<std::size_t>(board - boards.begin())) continue;
      if (flow.on_board == rule.qp.index) return {&flow};
      ++count;
    }
    problem(rule, "qp", "board " + rule.qp.board + " has no queue pair " + index,
            count == 0 ? "add `qps` to the board"
                       : "it has " + std::to_string(count) + ": write an index from 0 to " +
                             std::to_string(count - 1));
    return {};
  }

  std::vector<const Flow*> select_qpn(const FaultRuleConfig& rule) {
    const std::vector<ReceiverConfig>& receivers = config_.run.receivers;
    const auto to = std::find_if(receivers.begin(), receivers.end(),
                                 [&](const ReceiverConfig& r) { return r.endpoint.name == rule.qp.to; });
    if (to == receivers.end()) {
      unknown(rule, "to", "receiver", rule.qp.to, receivers);
      return {};
    }
    std::uint32_t count = 0;
    for (const Flow& flow : flows_) {
      if (flow.receiver != static_cast<std::size_t>(to - receivers.begin())) continue;
      if (flow.receiver_qpn == rule.qp.qpn) return {&flow};
      ++count;
    }
    problem(rule, "qpn",
            "receiver " + rule.qp.to + " has no queue pair with QPN " + std::to_string(rule.qp.qpn),
            count == 0
                ? "no board sends to it: name another receiver"
                : "its QPNs are " + std::to_string(to->qpn) + " to " + std::to_string(to->qpn + count - 1));
    return {};
  }

  template <class Endpoints>
  void unknown(const FaultRuleConfig& rule, const std::string& key, const std::string& what,
               const std::string& name, const Endpoints& endpoints) {
    std::vector<std::string> names;
    std::string all;
    for (const auto& e : endpoints) {
      names.push_back(e.endpoint.name);
      if (all.size() < 200) all += (all.empty() ? "write one of " : ", ") + names.back();
    }
    const std::string* const near = nearest(name, names);
    problem(rule, key, "no " + what + " \"" + name.substr(0, 64) + '"',
            near != nullptr ? "did you mean `" + *near + "`?" : all);
  }

  Reading& reading_;
  LabConfig& config_;
  std::vector<Flow> flows_;
  fabric::Hops hops_;
  /// Indices into network.links of the links that result from the current draft.
  std::vector<std::size_t> links_;
  /// Index of each queue pair in LinkRulesConfig::qps.
  std::map<std::tuple<const LinkRulesConfig*, const Flow*, Direction>, std::size_t> places_;
};

}  // namespace

void resolve_link_rules(Reading& reading, const LabDraft& draft, LabConfig& config) {
  config.link_rules.resize(config.network.links.size());
  const auto has_rules = [](const LinkDraft& link) {
    return !link.rules[0].empty() || !link.rules[1].empty();
  };
  if (std::none_of(draft.links.begin(), draft.links.end(), has_rules)) return;
  LinkRuleResolver resolver(reading, config);
  for (const LinkDraft& link : draft.links) {
    if (has_rules(link)) resolver.resolve(link);
  }
}

}  // namespace softfeb::config
