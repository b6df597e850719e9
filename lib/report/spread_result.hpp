// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "lab/spread.hpp"

#include <vector>

#include <nlohmann/json.hpp>

namespace softfeb::report {

/// Returns how frames were spread over equal-cost ports, as a list with one element for each set of next hops
/// of a switch.
nlohmann::ordered_json spread_json(const config::LabConfig& config, const std::vector<lab::Spread>& spreads);

}  // namespace softfeb::report
