// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/traffic_metrics.hpp"

#include "telemetry/metric_tables.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace softfeb::telemetry {

void write_traffic_gens(PrometheusText& out, const RunInfo& info, const stats::Sample& sample) {
  const auto begin = sample.endpoints->begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(info.boards.size());
  if (std::none_of(begin, end, [](const auto& e) { return e.traffic_gen.has_value(); })) return;
  for (const TrafficGenMetric& m : traffic_gen_metrics()) {
    out.family(std::string("softfeb_traffic_gen_") + m.name,
               m.counter ? PrometheusText::kCounter : PrometheusText::kGauge, m.help);
    for (std::size_t b = 0; b < info.boards.size(); ++b) {
      const engine::EndpointSnapshot& e = (*sample.endpoints)[b];
      if (e.traffic_gen) out.series({{"board", info.boards[b].name}}, m.value(e));
    }
  }
}

void write_streams(PrometheusText& out, const RunInfo& info, const stats::Sample& sample) {
  const auto& endpoints = *sample.endpoints;
  if (std::none_of(endpoints.begin(), endpoints.end(), [](const auto& e) { return e.streams.has_value(); }))
    return;
  std::string family;
  for (const StreamMetric& m : stream_metrics()) {
    const std::string name = std::string("softfeb_stream_") + m.name;
    if (name != family) out.family(name, PrometheusText::kCounter, m.help);
    family = name;
    for (std::size_t r = 0; r < info.receivers.size(); ++r) {
      const auto& streams = endpoints[info.boards.size() + r].streams;
      if (!streams) continue;
      Labels labels{{"receiver", info.receivers[r]}};
      if (m.reason != nullptr) labels.emplace_back("reason", m.reason);
      out.series(labels, m.value(*streams));
    }
  }
}

void write_workers(PrometheusText& out, const std::vector<dataplane::CpuTimes>& workers) {
  out.family("softfeb_worker_stage_seconds_total", PrometheusText::kCounter,
             "Time that workers spent, by stage, without time for which they were preempted.");
  for (std::size_t w = 0; w < workers.size(); ++w) {
    const std::string worker = std::to_string(w);
    for (std::size_t i = 0; i < engine::kStages; ++i) {
      const char* const stage = engine::to_string(static_cast<engine::Stage>(i));
      out.series({{"worker", worker}, {"stage", stage}}, workers[w].stages[i]);
    }
    out.series({{"worker", worker}, {"stage", "idle"}}, workers[w].idle);
  }
}

}  // namespace softfeb::telemetry
