// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lab/fault_rules.hpp"

#include <vector>

#include <nlohmann/json.hpp>

namespace softfeb::report {

/// Returns, for each fault rule, its place in the configuration file and its counters.
nlohmann::ordered_json fault_rules(const std::vector<lab::RuleResult>& rules);

}  // namespace softfeb::report
