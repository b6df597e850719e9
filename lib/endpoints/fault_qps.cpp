// SPDX-License-Identifier: BSD-3-Clause
#include "endpoints/fault_qps.hpp"

#include "config/error.hpp"

#include <string>

namespace softfeb::endpoints {

faults::FaultQp fault_qp(const config::RunConfig& config, const QpPlan& plan, faults::Direction direction) {
  const roce::IpAddress& own = config.boards[plan.board].endpoint.ip;
  if (direction == faults::Direction::kTx)
    return {own, plan.target.ip, plan.target.qpn, plan.config->psn, {}, direction};
  return {plan.target.ip, own, plan.qpn, plan.config->psn, {}, direction};
}

void check_rule_memory(const config::RunConfig& config, const config::Where& where,
                       const std::vector<faults::FaultRule>& rules, const std::vector<faults::FaultQp>& qps) {
  if (faults::FaultRules::memory_needed(rules, qps) <= faults::FaultRules::kMostMemory) return;
  throw config::ConfigError({{config.place(where, "rules"),
                              "the iterations of the rules need more than " +
                                  std::to_string(faults::FaultRules::kMostMemory >> 20) + " MiB",
                              "select fewer queue pairs or fewer PSNs, or write `iteration: any`"}});
}

}  // namespace softfeb::endpoints
