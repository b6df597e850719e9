// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stats/sample.hpp"
#include "telemetry/prometheus_text.hpp"
#include "telemetry/run_info.hpp"

#include <vector>

/// Metrics of features that few runs have. Nothing is written for a run without them.
namespace softfeb::telemetry {

/// Writes the traffic generators of boards.
void write_traffic_gens(PrometheusText& out, const RunInfo& info, const stats::Sample& sample);
/// Writes the streams of datagrams of receivers, each summed over the receiver's streams.
void write_streams(PrometheusText& out, const RunInfo& info, const stats::Sample& sample);
/// Writes the seconds that each worker has spent in each stage.
void write_workers(PrometheusText& out, const std::vector<dataplane::CpuTimes>& workers);

}  // namespace softfeb::telemetry
