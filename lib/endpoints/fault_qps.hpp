// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/plan.hpp"
#include "faults/fault_rules.hpp"

#include <vector>

namespace softfeb::endpoints {

/// The queue pair of `plan` as its requests or its responses identify it, without rules.
faults::FaultQp fault_qp(const config::RunConfig& config, const QpPlan& plan, faults::Direction direction);

/// Throws ConfigError if the rules need too much memory. `where`: section of the rules.
void check_rule_memory(const config::RunConfig& config, const config::Where& where,
                       const std::vector<faults::FaultRule>& rules, const std::vector<faults::FaultQp>& qps);

}  // namespace softfeb::endpoints
