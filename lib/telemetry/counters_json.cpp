// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/json_text.hpp"
#include "telemetry/live_json.hpp"
#include "telemetry/metric_tables.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace softfeb::telemetry {
namespace {

/// Returns an empty table, with the format {"columns": [name …], "rows": [[value …] …]}.
Json table() { return {{"columns", Json::array()}, {"rows", Json::array()}}; }

/// Returns an empty table like table(), but with an additional list `names`. The caller selects boards or
/// receivers, and adds a row and a name for each of them.
Json named_table() {
  Json out{{"names", Json::array()}};
  out.update(table());
  return out;
}

/// Returns the plug-in counters of a board by name, each summed over the board's queue pairs.
std::map<std::string, double> plugin_counters(const engine::EndpointSnapshot& board) {
  std::map<std::string, double> sums;
  for (const engine::SendQpSnapshot& qp : board.send_qps) {
    if (!qp.exists || !qp.congestion) continue;
    for (std::size_t k = 0; k < qp.congestion->counter_count; ++k)
      sums[std::string(qp.congestion->counter_names[k].name)] += qp.congestion->counters[k];
  }
  return sums;
}

Json board_counters(const RunInfo& info, const stats::Sample& sample) {
  Json out = table();
  for (const SendQpMetric& m : send_qp_metrics()) out["columns"].push_back(m.name);
  std::vector<std::map<std::string, double>> counters;
  std::set<std::string> names;
  for (std::size_t b = 0; b < info.boards.size(); ++b) {
    counters.push_back(plugin_counters((*sample.endpoints)[b]));
    for (const auto& [name, sum] : counters.back()) names.insert(name);
  }
  for (const std::string& name : names) out["columns"].push_back(name);
  for (std::size_t b = 0; b < info.boards.size(); ++b) {
    Json row = Json::array();
    for (const SendQpMetric& m : send_qp_metrics()) row.push_back(m.sum((*sample.endpoints)[b]));
    for (const std::string& name : names) {
      const auto found = counters[b].find(name);
      row.push_back(found == counters[b].end() ? Json() : Json(found->second));
    }
    out["rows"].push_back(std::move(row));
  }
  return out;
}

Json receiver_counters(const RunInfo& info, const stats::Sample& sample) {
  Json out = table();
  for (const ReceiverMetric& m : receiver_metrics()) out["columns"].push_back(m.name);
  for (std::size_t r = 0; r < info.receivers.size(); ++r) {
    Json row = Json::array();
    for (const ReceiverMetric& m : receiver_metrics())
      row.push_back(m.value((*sample.endpoints)[info.boards.size() + r]));
    out["rows"].push_back(std::move(row));
  }
  return out;
}

/// Counters of the boards that have a traffic generator, with their names; null if there are none.
Json traffic_gen_counters(const RunInfo& info, const stats::Sample& sample) {
  Json out = named_table();
  out["columns"] = column(traffic_gen_metrics(), [](const TrafficGenMetric& m) { return m.name; });
  for (std::size_t b = 0; b < info.boards.size(); ++b) {
    const engine::EndpointSnapshot& board = (*sample.endpoints)[b];
    if (!board.traffic_gen) continue;
    out["names"].push_back(info.boards[b].name);
    out["rows"].push_back(column(traffic_gen_metrics(), [&](const auto& m) { return m.value(board); }));
  }
  return out["rows"].empty() ? Json() : out;
}

/// Counters of the receivers that have streams of datagrams, with their names; null if there are none.
Json stream_counters(const RunInfo& info, const stats::Sample& sample) {
  Json out = named_table();
  out["columns"] = column(stream_metrics(), [](const StreamMetric& m) { return m.column(); });
  for (std::size_t r = 0; r < info.receivers.size(); ++r) {
    const auto& streams = (*sample.endpoints)[info.boards.size() + r].streams;
    if (!streams) continue;
    out["names"].push_back(info.receivers[r]);
    out["rows"].push_back(column(stream_metrics(), [&](const auto& m) { return m.value(*streams); }));
  }
  return out["rows"].empty() ? Json() : out;
}

Json port_counters(const fabric::NetworkSnapshot& network) {
  Json out = table();
  for (const PortMetric& m : port_metrics()) out["columns"].push_back(m.name);
  for (const fabric::PortSnapshot& port : network.ports) {
    Json row = Json::array();
    for (const PortMetric& m : port_metrics())
      row.push_back(m.seconds != nullptr ? Json(rounded(m.seconds(port))) : Json(m.value(port)));
    out["rows"].push_back(std::move(row));
  }
  return out;
}

}  // namespace

std::string counters_json(const RunInfo& info, const stats::Sample& sample) {
  Json json{{"t", to_seconds(sample.at)}};
  json["boards"] = board_counters(info, sample);
  json["receivers"] = receiver_counters(info, sample);
  const auto add = [&](const char* name, Json table) {
    if (!table.is_null()) json[name] = std::move(table);
  };
  add("traffic_gens", traffic_gen_counters(info, sample));
  add("streams", stream_counters(info, sample));
  if (sample.network != nullptr) json["ports"] = port_counters(*sample.network);
  return dump(json);
}

}  // namespace softfeb::telemetry
