// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "endpoints/endpoints.hpp"
#include "engine/completion_times.hpp"

#include <string>

#include <nlohmann/json.hpp>

namespace softfeb::report {

/// Returns completion times and slowdowns by message length, for the result document.
nlohmann::ordered_json completion_json(const engine::CompletionTimes& times);

/// Adds the key `completion_times` to a result of make_result() and to the boards in it. Does nothing if no
/// QP has random message lengths or arrivals. `end` is the end of the run.
void add_completion_times(nlohmann::ordered_json& result, const endpoints::Endpoints& endpoints, Time end);

/// Formats completion times and slowdowns as a table with the heading `what`; empty if there are no messages.
std::string completion_table(const engine::CompletionTimes& times, const std::string& what);

}  // namespace softfeb::report
