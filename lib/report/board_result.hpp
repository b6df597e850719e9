// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/targets.hpp"
#include "stats/outcome.hpp"

#include <cstddef>

#include <nlohmann/json.hpp>

namespace softfeb::report {

/// Returns element `b` of the result's `boards[]` (doc/result.md): its counters, a summary of its queue
/// pairs, and as many individual queue pairs as run.result_qps allows.
nlohmann::ordered_json board_result(const config::RunConfig& config, const endpoints::Plans& plans,
                                    const stats::Outcome& outcome, std::size_t b);

}  // namespace softfeb::report
