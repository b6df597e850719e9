// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/fault_setup.hpp"

#include "endpoints/fault_qps.hpp"
#include "runtime/dpdk_runtime.hpp"

#include <utility>

namespace softfeb::runtime {

faults::FaultRules fault_rules(const config::RunConfig& config, const endpoints::Plans& plans,
                               std::size_t port, faults::Direction direction, unsigned worker) {
  const std::vector<config::FaultRuleConfig>& own = config.ports[port].faults.rules;
  if (own.empty()) return {};
  std::vector<faults::FaultRule> rules;
  for (const config::FaultRuleConfig& r : own) rules.push_back(r.rule);
  std::vector<faults::FaultQp> qps;
  for (const endpoints::QpPlan& plan : plans.all()) {
    const config::BoardConfig& board = config.boards[plan.board];
    if (board.endpoint.network || board.endpoint.port != port) continue;
    if (direction == faults::Direction::kTx && board.endpoint.worker != worker) continue;
    faults::FaultQp qp = endpoints::fault_qp(config, plan, direction);
    for (std::uint32_t r = 0; r < own.size(); ++r) {
      if (own[r].rule.on.direction == direction && own[r].qp.selects(board, plan.on_board, plan.qpn))
        qp.rules.push_back(r);
    }
    if (!qp.rules.empty()) qps.push_back(std::move(qp));
  }
  endpoints::check_rule_memory(config, config.ports[port].faults.where, rules, qps);
  return {rules, qps};
}

std::vector<faults::RuleCounters> rule_counters(const RunPort& port) {
  std::vector<faults::RuleCounters> sum;
  for (const auto* side : {&port.tx_faults, &port.rx_faults}) {
    for (const auto& injector : *side) {
      const std::vector<faults::RuleCounters>& part = injector->rule_counters();
      if (sum.size() < part.size()) sum.resize(part.size());
      for (std::size_t r = 0; r < part.size(); ++r) {
        sum[r].hits += part[r].hits;
        sum[r].refused += part[r].refused;
      }
    }
  }
  return sum;
}

}  // namespace softfeb::runtime
