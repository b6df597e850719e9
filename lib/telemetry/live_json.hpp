// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stats/rate_tracker.hpp"
#include "telemetry/run_info.hpp"

#include <string>

/// Formats the data of the page as JSON on one line (doc/telemetry.md). Rates are in Gb/s.
namespace softfeb::telemetry {

/// Returns names and limits, for event `setup` and /api/setup.
std::string setup_json(const RunInfo& info, double interval);
/// Returns rates, CNPs, marks and queues of one interval, for event `sample` and an element of /api/history.
std::string sample_json(const stats::RunInterval& interval);
/// Returns the counters since the start, for event `counters` and /api/counters.
std::string counters_json(const RunInfo& info, const stats::Sample& sample);

/// Returns the result of the run, for event `result` and /api/result.
std::string result_json(const std::string& verdict, const std::string& text);

}  // namespace softfeb::telemetry
