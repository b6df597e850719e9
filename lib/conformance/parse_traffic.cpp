// SPDX-License-Identifier: BSD-3-Clause
// Reads traffic runs (TrafficSpec). doc/conformance-cases.md describes the format.
#include "conformance/parse_traffic.hpp"

#include "config/error.hpp"
#include "config/fault_config.hpp"
#include "config/units.hpp"
#include "conformance/notation.hpp"
#include "conformance/yaml_values.hpp"

#include <algorithm>
#include <bit>

namespace softfeb::conformance {

namespace {

constexpr std::uint64_t kLongestMessage = 1U << 30;  ///< maximum length of a message in bytes

std::uint32_t number32_or(const YAML::Node& map, const char* key, std::uint32_t otherwise,
                          std::uint64_t least = 0) {
  return map[key] ? static_cast<std::uint32_t>(number_within(map[key], least, UINT32_MAX)) : otherwise;
}

/// Reads the key `message`: a length, a list of the shortest and the longest length, or `region`.
void read_lengths(const YAML::Node& node, TrafficSpec& out) {
  if (!node) return;
  if (node.IsSequence()) {
    if (node.size() != 2) refuse_node(node, "random lengths need the shortest and the longest one");
    out.shortest = static_cast<std::uint32_t>(number_within(node[0], 0, kLongestMessage));
    out.message = static_cast<std::uint32_t>(number_within(node[1], 0, kLongestMessage));
    if (out.shortest == 0 || out.shortest > out.message)
      refuse_node(node, "the shortest length must be at least 1, and at most the longest one");
  } else if (node.as<std::string>() == "region") {
    out.message = 0;
  } else {
    out.message = static_cast<std::uint32_t>(number_within(node, 0, kLongestMessage));
    if (out.message == 0) refuse_node(node, "a message has at least one byte; fix: write a length or region");
  }
}

std::uint64_t probability_of(const YAML::Node& node) {
  const auto parsed = config::parse_probability(node.as<std::string>());
  if (!parsed.value) refuse_node(node, parsed.message + "; fix: " + parsed.fix);
  return parsed.value->parts();
}

std::uint64_t rate_of(const YAML::Node& node) {
  const auto parsed = config::parse_bandwidth(node.as<std::string>());
  if (!parsed.value) refuse_node(node, parsed.message + "; fix: " + parsed.fix);
  return *parsed.value;
}

std::vector<TrafficRule> read_rules(const YAML::Node& list) {
  YAML::Node document;
  document["rules"] = list;
  std::vector<config::FaultRuleConfig> rules;
  try {
    rules = config::read_fault_rules(YAML::Dump(document), "rules");
  } catch (const config::ConfigError& error) {
    refuse_node(list, error.what());
  }
  std::vector<TrafficRule> out;
  for (std::size_t k = 0; k < rules.size(); ++k) {
    TrafficRule& rule = out.emplace_back();
    rule.rule = rules[k].rule;
    rule.text = YAML::Dump(list[k]);
    if (rules[k].qp.kind == config::FaultQpRef::Kind::kIndex) rule.qp = rules[k].qp.index;
    if (rules[k].qp.kind == config::FaultQpRef::Kind::kQpn || !rules[k].qp.board.empty())
      refuse_node(list[k], "QPNs and boards are not known in advance; fix: write qp: any, or a number");
  }
  return out;
}

void read_counters(const YAML::Node& map, TrafficSpec& out) {
  for (const auto& entry : map) {
    CounterRange& counter = out.counters[entry.first.as<std::string>()];
    counter.of_wire = entry.second.as<std::string>() == "wire";
    if (!counter.of_wire) counter.range = range_of(entry.second);
  }
}

void read_figures(const YAML::Node& list, TrafficSpec& out) {
  for (const auto& item : list) {
    const auto figure = traffic_figure_of(item.as<std::string>());
    if (!figure) refuse_node(item, "'" + item.as<std::string>() + "' is not a figure of a run");
    out.figures.push_back(*figure);
  }
}

void check(const YAML::Node& node, const TrafficSpec& spec) {
  if (spec.addresses == 0 || spec.addresses > 2)
    refuse_node(node["addresses"], "a run has one or two addresses");
  const bool long_messages = spec.message == 0 || spec.message > spec.pmtu;
  if (spec.transport == roce::Transport::kUc && long_messages)
    refuse_node(node, "what a UC queue pair accepts after a loss is known only for messages of one packet");
  for (const TrafficRule& rule : spec.rules) {
    if (rule.qp && *rule.qp >= spec.qps) refuse_node(node["rules"], "the run has no such queue pair");
  }
  if (spec.clean_rate && spec.duration == 0)
    refuse_node(node, "a clean queue pair sends for a certain time; fix: add a duration");
  if (spec.pmtu < 256 || spec.pmtu > 4096 || !std::has_single_bit(spec.pmtu))
    refuse_node(node["pmtu"], "a path MTU is 256, 512, 1024, 2048 or 4096 (IBA 9.7.1)");
}

TrafficSpec read_one(const YAML::Node& node, roce::Transport transport) {
  check_keys(node,
             {"name",     "qps",       "fewer_qps",  "addresses", "pmtu",   "message", "messages", "duration",
              "window",   "transport", "immediate",  "receives",  "marked", "loss",    "naks",     "timeouts",
              "may_fail", "counters",  "clean_rate", "churn",     "rules",  "figures"});
  TrafficSpec out;
  out.transport = transport;
  if (node["name"]) out.name = node["name"].as<std::string>();
  if (node["transport"])
    out.transport = node["transport"].as<std::string>() == "UC" ? roce::Transport::kUc : roce::Transport::kRc;
  out.qps = number32_or(node, "qps", out.qps, 1);
  out.fewer_qps = flag(node, "fewer_qps");
  out.addresses = number32_or(node, "addresses", out.addresses);
  out.pmtu = number32_or(node, "pmtu", out.pmtu);
  read_lengths(node["message"], out);
  if (node["messages"]) out.messages = number(node["messages"]);
  if (node["duration"]) out.duration = time_of(node["duration"]);
  out.window = number32_or(node, "window", out.window, 1);
  out.immediate = flag(node, "immediate");
  out.receives = number32_or(node, "receives", out.receives);
  out.marked = flag(node, "marked");
  if (node["loss"]) out.loss = probability_of(node["loss"]);
  if (node["naks"]) out.naks = range_of(node["naks"]);
  if (node["timeouts"]) out.timeouts = range_of(node["timeouts"]);
  out.may_fail = flag(node, "may_fail");
  if (node["counters"]) read_counters(node["counters"], out);
  if (node["clean_rate"]) out.clean_rate = rate_of(node["clean_rate"]);
  out.churn = number32_or(node, "churn", out.churn);
  if (node["rules"]) out.rules = read_rules(node["rules"]);
  if (node["figures"]) read_figures(node["figures"], out);
  check(node, out);
  return out;
}

}  // namespace

std::vector<TrafficSpec> read_traffic(const YAML::Node& node, roce::Transport transport) {
  std::vector<TrafficSpec> out;
  const auto add = [&](const YAML::Node& run) { out.push_back(read_one(run, transport)); };
  if (node.IsMap()) repeat(node, add);
  for (std::size_t k = 0; node.IsSequence() && k < node.size(); ++k) repeat(node[k], add);
  if (out.empty()) refuse_node(node, "a run of the sender is a map, or a list of maps");
  return out;
}

}  // namespace softfeb::conformance
