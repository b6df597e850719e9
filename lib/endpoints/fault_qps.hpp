// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/plan.hpp"
#include "faults/fault_rules.hpp"

#include <vector>

namespace softfeb::endpoints {

/// Returns the addresses and the DestQP by which the requests (kTx) or the responses (kRx) of the plan's
/// queue pair are recognized. The result contains no rules.
faults::FaultQp fault_qp(const config::RunConfig& config, const QpPlan& plan, faults::Direction direction);

/// Throws ConfigError if the rules need too much memory. `where` is the place of the rules in the
/// configuration.
void check_rule_memory(const config::RunConfig& config, const config::Where& where,
                       const std::vector<faults::FaultRule>& rules, const std::vector<faults::FaultQp>& qps);

}  // namespace softfeb::endpoints
