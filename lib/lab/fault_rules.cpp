// SPDX-License-Identifier: BSD-3-Clause
#include "lab/fault_rules.hpp"

#include <map>

namespace softfeb::lab {

std::vector<RuleResult> rules_of_port(const config::RunConfig& config, std::size_t port,
                                      const stats::Outcome& outcome) {
  std::vector<RuleResult> results;
  const std::vector<config::FaultRuleConfig>& rules = config.ports[port].faults.rules;
  for (std::size_t r = 0; r < rules.size(); ++r) {
    const bool counted = port < outcome.fault_rules.size() && r < outcome.fault_rules[port].size();
    results.push_back({&rules[r], counted ? outcome.fault_rules[port][r] : faults::RuleCounters{}});
  }
  return results;
}

std::vector<RuleResult> port_rules(const config::RunConfig& config, const stats::Outcome& outcome) {
  std::vector<RuleResult> results;
  for (std::size_t p = 0; p < config.ports.size(); ++p) {
    const std::vector<RuleResult> own = rules_of_port(config, p, outcome);
    results.insert(results.end(), own.begin(), own.end());
  }
  return results;
}

std::vector<LinkRuleResults> link_rules(const config::LabConfig& config,
                                        const fabric::NetworkSnapshot& network) {
  std::vector<LinkRuleResults> results;
  std::size_t next = 0;
  for (std::size_t l = 0; l < config.link_rules.size(); ++l) {
    for (const bool back : {false, true}) {
      const config::LinkRulesConfig& direction = config.link_rules[l][back ? 1 : 0];
      if (direction.rules.empty()) continue;
      LinkRuleResults& out = results.emplace_back(LinkRuleResults{l, back, {}});
      for (const config::FaultRuleConfig& rule : direction.rules) {
        const bool counted = next < network.rules.size();
        out.rules.push_back({&rule, counted ? network.rules[next] : faults::RuleCounters{}});
        ++next;
      }
    }
  }
  return results;
}

std::vector<std::string> never_hit(const std::vector<RuleResult>& rules) {
  // Sums of the counters, by the key of the rule in the file.
  std::map<std::string, faults::RuleCounters> sums;
  for (const RuleResult& r : rules) {
    faults::RuleCounters& sum = sums[r.rule->where.key];
    sum.hits += r.counters.hits;
    sum.refused += r.counters.refused;
  }
  std::vector<std::string> lines;
  for (const RuleResult& r : rules) {
    const config::Where& where = r.rule->where;
    const auto sum = sums.find(where.key);
    if (sum == sums.end()) continue;  // another rule with this key has already been reported
    if (sum->second.hits == 0) {
      const std::uint64_t refused = sum->second.refused;
      lines.push_back(where.file + ':' + std::to_string(where.line) + ": " + where.key +
                      ": the fault rule was never hit: " +
                      (refused == 0 ? "no packet fulfilled its conditions"
                                    : std::to_string(refused) +
                                          " packets fulfilled its conditions, but the action was refused") +
                      "; see doc/faults.md");
    }
    sums.erase(sum);
  }
  return lines;
}

}  // namespace softfeb::lab
