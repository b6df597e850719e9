// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/plan.hpp"
#include "faults/fault_rules.hpp"

#include <cstddef>
#include <vector>

namespace softfeb::runtime {

/// Returns the rules of port `port` that apply in direction `direction` to the packets that `worker` handles.
/// A worker sends the packets of its own boards, but may receive those of all boards of the port. Throws
/// ConfigError if the rules need too much memory.
faults::FaultRules fault_rules(const config::RunConfig& config, const endpoints::Plans& plans,
                               std::size_t port, faults::Direction direction, unsigned worker);

struct RunPort;
/// Sums of the counters of the port's rules over all workers, in the order of the rules.
std::vector<faults::RuleCounters> rule_counters(const RunPort& port);

}  // namespace softfeb::runtime
