// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "latency/stage_table.hpp"

#include <string>

#include <nlohmann/json.hpp>

namespace softfeb::report {

/// Name of the report file that contains the histograms of all stages.
inline constexpr const char* kReportLatency = "latency.csv";

/// Adds the member `latency`, unless `figures` is null (doc/result.md).
void add_latency(nlohmann::ordered_json& json, const latency::StageFigures* figures);
/// Returns the content of latency.csv, which has a line for each bucket that is not empty.
std::string latency_csv(const latency::StageFigures& figures);

}  // namespace softfeb::report
