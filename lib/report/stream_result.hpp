// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "endpoints/endpoints.hpp"
#include "stats/outcome.hpp"

#include <cstddef>

#include <nlohmann/json.hpp>

/// Adds traffic generators and streams of datagrams to the result document (doc/result.md). Nothing is added
/// for boards without a generator and for receivers without streams.
namespace softfeb::report {

/// Adds `traffic_gen` to an element of `boards`.
void add_traffic_gen(nlohmann::ordered_json& json, const stats::Outcome& o,
                     const endpoints::Endpoints& endpoints, std::size_t board);
/// Adds `streams` to an element of `receivers`.
void add_streams(nlohmann::ordered_json& json, const stats::Outcome& o, const endpoints::Endpoints& endpoints,
                 std::size_t receiver);

}  // namespace softfeb::report
