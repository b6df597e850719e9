// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/endpoints.hpp"
#include "stats/outcome.hpp"

#include <cstddef>

#include <nlohmann/json.hpp>

namespace softfeb::report {

/// Adds `goodput_gbps` and `windows` (doc/result.md) to the result of receiver `index`, if this receiver has
/// windows.
void add_windows(nlohmann::ordered_json& json, const config::RunConfig& config, const endpoints::Plans& plans,
                 const stats::Outcome& o, const endpoints::Endpoints& endpoints, std::size_t index);

}  // namespace softfeb::report
