// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/fault_setup.hpp"

#include "config/error.hpp"
#include "runtime/dpdk_runtime.hpp"

#include <string>

namespace softfeb::runtime {
namespace {

/// Returns the addresses and the QPN by which fault rules recognize the packets of a queue pair. Packets that
/// the board sends carry the target's QPN. Packets that the board receives carry the QPN of its own queue
/// pair.
faults::FaultQp fault_qp(const config::RunConfig& config, const endpoints::QpPlan& plan,
                         faults::Direction direction) {
  const roce::IpAddress& own = config.boards[plan.board].endpoint.ip;
  if (direction == faults::Direction::kTx)
    return {own, plan.target.ip, plan.target.qpn, plan.config->psn, {}};
  return {plan.target.ip, own, plan.qpn, plan.config->psn, {}};
}

}  // namespace

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
    faults::FaultQp qp = fault_qp(config, plan, direction);
    for (std::uint32_t r = 0; r < own.size(); ++r) {
      if (own[r].rule.on.direction == direction && own[r].qp.selects(board, plan.on_board, plan.qpn))
        qp.rules.push_back(r);
    }
    if (!qp.rules.empty()) qps.push_back(std::move(qp));
  }
  if (faults::FaultRules::memory_needed(rules, qps) > faults::FaultRules::kMostMemory) {
    throw config::ConfigError({{config.place(config.ports[port].faults.where, "rules"),
                                "the iterations of the rules need more than " +
                                    std::to_string(faults::FaultRules::kMostMemory >> 20) + " MiB",
                                "select fewer queue pairs or fewer PSNs, or write `iteration: any`"}});
  }
  return {direction, rules, qps};
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
