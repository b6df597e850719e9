// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "lab/spread.hpp"

#include <vector>

#include <nlohmann/json.hpp>

namespace softfeb::report {

/// The spread of frames over equal-cost ports, as a list: one element for each set of next hops of a switch.
nlohmann::ordered_json spread_json(const config::LabConfig& config, const std::vector<lab::Spread>& spreads);

}  // namespace softfeb::report
