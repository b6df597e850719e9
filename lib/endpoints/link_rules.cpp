// SPDX-License-Identifier: BSD-3-Clause
#include "endpoints/link_rules.hpp"

#include "endpoints/fault_qps.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace softfeb::endpoints {
namespace {

/// Index of the first plan of each board.
std::vector<std::size_t> first_plans(const config::RunConfig& config, const Plans& plans) {
  std::vector<std::size_t> first(config.boards.size(), 0);
  for (std::size_t i = plans.all().size(); i-- != 0;) first[plans.all()[i].board] = i;
  return first;
}

}  // namespace

void add_link_rules(const config::LabConfig& lab, const Plans& plans, fabric::NetworkConfig& network) {
  const std::vector<std::size_t> first = first_plans(lab.run, plans);
  for (std::size_t l = 0; l < lab.link_rules.size(); ++l) {
    for (std::size_t d = 0; d < 2; ++d) {
      const config::LinkRulesConfig& from = lab.link_rules[l][d];
      fabric::LinkFaults& to = d == 0 ? network.links[l].a_to_b : network.links[l].b_to_a;
      for (const config::FaultRuleConfig& rule : from.rules) to.rules.push_back(rule.rule);
      for (const config::LinkRulesConfig::Qp& qp : from.qps) {
        faults::FaultQp added = fault_qp(lab.run, plans.all()[first[qp.board] + qp.on_board], qp.direction);
        added.rules = qp.rules;
        to.qps.push_back(std::move(added));
      }
      check_rule_memory(lab.run, from.where, to.rules, to.qps);
    }
  }
}

}  // namespace softfeb::endpoints
