// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stats/rate_tracker.hpp"
#include "telemetry/run_info.hpp"

#include <string>

/// Formats the data of the page as JSON on one line (doc/telemetry.md). Rates are in Gb/s.
namespace softfeb::telemetry {

/// Names and limits: event `setup` and /api/setup.
std::string setup_json(const RunInfo& info, double interval);
/// Rates, CNPs, marks and queues of one interval: event `sample`, and an element of /api/history.
std::string sample_json(const stats::RunInterval& interval);
/// Counters since the start: event `counters` and /api/counters.
std::string counters_json(const RunInfo& info, const stats::Sample& sample);

/// Result of the run: event `result` and /api/result.
std::string result_json(const std::string& verdict, const std::string& text);

}  // namespace softfeb::telemetry
