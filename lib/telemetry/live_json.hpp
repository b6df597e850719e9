// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "telemetry/tracker.hpp"

#include <string>

/// What the page gets, as JSON on one line (doc/telemetry.md). Rates are in Gb/s, as the page shows them.
namespace softfeb::telemetry {

/// Names and limits: event `setup`, /api/setup.
std::string setup_json(const Scene& scene, double interval);
/// Rates, rates' marks and queues in one interval: event `sample`, an element of /api/history.
std::string sample_json(const Figures& figures);
/// Counters since the beginning: event `counters`, /api/counters.
std::string counters_json(const Scene& scene, const lab::Sample& sample);

/// How it ended: event `result`, /api/result.
std::string result_json(const std::string& verdict, const std::string& text);

}  // namespace softfeb::telemetry
