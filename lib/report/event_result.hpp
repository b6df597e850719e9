// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/endpoints.hpp"
#include "stats/outcome.hpp"

#include <cstddef>

#include <nlohmann/json.hpp>

/// Adds event data to the result document (doc/result.md). These functions add nothing if the run has no
/// event data.
namespace softfeb::report {

/// Adds the member `triggers`.
void add_triggers(nlohmann::ordered_json& json, const config::RunConfig& config, const stats::Outcome& o,
                  const endpoints::Endpoints& endpoints);
/// Adds `events` to an element of `boards`.
void add_board_events(nlohmann::ordered_json& json, const endpoints::Endpoints& endpoints, std::size_t board);
/// Adds `events` to an element of `receivers`.
void add_receiver_events(nlohmann::ordered_json& json, const config::RunConfig& config,
                         const stats::Outcome& outcome, endpoints::Endpoints& endpoints,
                         std::size_t receiver);

}  // namespace softfeb::report
