// SPDX-License-Identifier: BSD-3-Clause
#include "lab/fault_rules.hpp"

#include "lab/run_stats.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::lab;

namespace {

config::FaultRuleConfig rule_at(int line) {
  config::FaultRuleConfig rule;
  rule.where = {"lab.yaml", line, "rules." + std::to_string(line)};
  return rule;
}

/// Returns a lab with two links, the first of which has rules in both directions. Rule 10 acts in both
/// directions.
config::LabConfig ruled_lab() {
  config::LabConfig config;
  config.network.links.resize(2);
  config.link_rules.resize(2);
  config.link_rules[0][0].rules = {rule_at(10), rule_at(11)};
  config.link_rules[0][1].rules = {rule_at(10)};
  config.link_rules[1][1].rules = {rule_at(12)};
  return config;
}

}  // namespace

TEST_CASE("the counters of links belong to their rules", "[lab]") {
  const config::LabConfig config = ruled_lab();
  fabric::NetworkSnapshot network;
  network.rules = {{1, 0}, {2, 0}, {3, 0}, {4, 5}};
  const auto links = link_rules(config, network);
  REQUIRE(links.size() == 3);
  CHECK((links[0].link == 0 && !links[0].back && links[0].rules.size() == 2));
  CHECK((links[1].link == 0 && links[1].back));
  CHECK((links[2].link == 1 && links[2].back));
  CHECK(links[0].rules[1].counters.hits == 2);
  CHECK(links[1].rules[0].counters.hits == 3);
  CHECK(links[2].rules[0].counters.refused == 5);
  CHECK(links[2].rules[0].rule->where.line == 12);
}

TEST_CASE("a rule is hit if it was hit anywhere", "[lab]") {
  const config::LabConfig config = ruled_lab();
  stats::Outcome outcome;
  outcome.network.emplace();
  const auto never = [&](std::vector<faults::RuleCounters> counters) {
    outcome.network->rules = std::move(counters);
    RunStats stats;
    add_fault_rules(stats, config, outcome);
    REQUIRE(stats.rules_never_hit == stats.rule_messages.size());
    return stats.rule_messages;
  };
  CHECK(never({{1, 0}, {1, 0}, {0, 0}, {1, 0}}).empty());
  CHECK(never({{0, 0}, {1, 0}, {1, 0}, {1, 0}}).empty());
  const auto lines = never({{0, 2}, {1, 0}, {0, 3}, {0, 0}});
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].find("lab.yaml:10: rules.10: the fault rule was never hit: 5 packets") == 0);
  CHECK(lines[1].find("lab.yaml:12: rules.12: the fault rule was never hit: no packet") == 0);
}

TEST_CASE("rules of ports count too; without rules there is nothing to check", "[lab]") {
  config::LabConfig config = ruled_lab();
  config.link_rules.clear();
  stats::Outcome outcome;
  outcome.network.emplace();
  RunStats none;
  add_fault_rules(none, config, outcome);
  CHECK_FALSE(none.rules_never_hit);
  config.run.ports.resize(2);
  config.run.ports[1].faults.rules = {rule_at(20), rule_at(21)};
  outcome.fault_rules = {{}, {{0, 0}, {7, 0}}};
  RunStats some;
  add_fault_rules(some, config, outcome);
  CHECK(some.rules_never_hit == 1U);
  CHECK(port_rules(config.run, outcome)[1].counters.hits == 7);
}
