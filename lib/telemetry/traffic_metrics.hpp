// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stats/sample.hpp"
#include "telemetry/prometheus_text.hpp"
#include "telemetry/run_info.hpp"

#include <vector>

/// Metrics of features that few runs use. If a run does not use a feature, its metrics are not written.
namespace softfeb::telemetry {

/// Writes the metrics of the boards' traffic generators.
void write_traffic_gens(PrometheusText& out, const RunInfo& info, const stats::Sample& sample);
/// Writes the metrics of the receivers' streams of datagrams, each summed over the streams of a receiver.
void write_streams(PrometheusText& out, const RunInfo& info, const stats::Sample& sample);
/// Writes the seconds that each worker has spent in each stage.
void write_workers(PrometheusText& out, const std::vector<dataplane::CpuTimes>& workers);

}  // namespace softfeb::telemetry
