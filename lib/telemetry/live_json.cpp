// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/live_json.hpp"

#include "congestion/algorithm.hpp"
#include "telemetry/metric_tables.hpp"

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace softfeb::telemetry {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kGbps = 8e-9;  // Gb/s per byte per second

/// Rounds to five decimals (10 kb/s) to keep the samples short.
double rounded(double v) { return std::round(v * 1e5) / 1e5; }
double gbps(double bytes_per_second) { return rounded(bytes_per_second * kGbps); }

/// 0 without congestion control, null for algorithms that have no alpha.
Json alpha(const stats::ControlState& control) {
  if (control.controls == 0) return 0.0;
  const std::optional<double> mean = control.alpha.mean();
  return mean ? Json(rounded(*mean)) : Json();
}

/// Serializes `json`. Names come from files, so bytes that are not valid UTF-8 are replaced.
std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json board_json(const RunInfo::Board& b) {
  Json json{{"name", b.name}, {"ip", b.ip}, {"control", b.control}, {"qps", b.qps}};
  json["link_gbps"] = b.link_rate != 0 ? Json(gbps(static_cast<double>(b.link_rate))) : Json();
  json["dcqcn"] = b.dcqcn;
  return json;
}

Json port_json(const RunInfo::Port& p) {
  Json json{{"name", p.name},
            {"gbps", gbps(static_cast<double>(p.rate))},
            {"bottleneck", p.bottleneck},
            {"buffer", p.buffer}};
  if (p.ecn) {
    json["kmin"] = p.kmin;
    json["kmax"] = p.kmax;
  }
  return json;
}

template <class T, class Value>
Json column(const std::vector<T>& rows, Value value) {
  Json out = Json::array();
  for (const T& row : rows) out.push_back(value(row));
  return out;
}

/// Adds columns for the quantities that the algorithm of at least one board has. The others are omitted, so
/// samples of DCQCN stay short.
void add_control_state(Json& json, const std::vector<stats::BoardInterval>& boards) {
  constexpr double kUs = 1e6;  // microseconds per second
  const auto add = [&](const char* name, stats::ControlMean stats::ControlState::*quantity, double factor) {
    bool known = false;
    Json values = column(boards, [&](const stats::BoardInterval& b) {
      const std::optional<double> mean = (b.all.control.*quantity).mean();
      known = known || mean.has_value();
      return mean ? Json(rounded(*mean * factor)) : Json();
    });
    if (known) json[name] = std::move(values);
  };
  add("rtt_us", &stats::ControlState::rtt, kUs);
  add("target_delay_us", &stats::ControlState::target_delay, kUs);
  add("window", &stats::ControlState::window, 1);
  add("utilization", &stats::ControlState::utilization, 1);
  add("granted", &stats::ControlState::granted, 1);
}

/// Returns an empty table, with the format {"columns": [name …], "rows": [[value …] …]}.
Json table() { return {{"columns", Json::array()}, {"rows", Json::array()}}; }

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

std::string setup_json(const RunInfo& info, double interval) {
  Json json{{"title", info.title}, {"shows", info.shows}, {"version", info.version}, {"interval", interval}};
  json["boards"] = column(info.boards, board_json);
  json["receivers"] = info.receivers;
  json["ports"] = column(info.ports, port_json);
  return dump(json);
}

std::string sample_json(const stats::RunInterval& interval) {
  Json json{{"t", std::round(to_seconds(interval.at) * 1e6) / 1e6}};
  // The first sample has counts but no rates, so its rates are shown as 0.
  const double shown = interval.first ? 0 : 1;
  using B = stats::BoardInterval;
  const auto boards = [&](auto value) { return column(interval.boards, value); };
  const auto controlled = [](const B& b, double rate) {
    return b.all.control.controls != 0 ? Json(gbps(rate)) : Json();
  };
  json["rc"] = boards([&](const B& b) { return controlled(b, b.all.control.rc); });
  json["rt"] = boards([&](const B& b) { return controlled(b, b.all.control.rt); });
  json["alpha"] = boards([](const B& b) { return alpha(b.all.control); });
  json["sent"] = boards([&](const B& b) { return gbps(b.all.sent * shown); });
  json["goodput"] =
      boards([&](const B& b) { return b.all.goodput ? Json(gbps(*b.all.goodput * shown)) : Json(); });
  json["cnp"] = boards([](const B& b) { return b.all.counts.cnps; });
  json["retx"] = boards([](const B& b) { return b.all.counts.retransmitted; });
  add_control_state(json, interval.boards);
  if (interval.events) {
    const stats::EventInterval& e = *interval.events;
    json["events"] = {{"rate", rounded(e.rate * shown)},
                      {"complete", e.complete},
                      {"incomplete", e.incomplete},
                      {"lost", e.lost},
                      {"busy", rounded(e.busy_share * shown)}};
  }
  if (interval.ports.empty()) return dump(json);
  using P = stats::PortInterval;
  const auto ports = [&](auto value) { return column(interval.ports, value); };
  json["queue"] = ports([](const P& p) { return p.queue; });
  json["peak"] = ports([](const P& p) { return p.peak; });
  json["tx"] = ports([&](const P& p) { return gbps(p.sent * shown); });
  json["paused"] = ports([&](const P& p) { return rounded(p.paused_share * shown); });
  json["marked"] = ports([](const P& p) { return p.counts.ecn_marked; });
  json["dropped"] = ports([](const P& p) { return p.counts.dropped; });
  json["pause"] = ports([](const P& p) { return p.counts.pause_tx; });
  return dump(json);
}

std::string counters_json(const RunInfo& info, const stats::Sample& sample) {
  Json json{{"t", to_seconds(sample.at)}};
  json["boards"] = board_counters(info, sample);
  json["receivers"] = receiver_counters(info, sample);
  if (sample.network != nullptr) json["ports"] = port_counters(*sample.network);
  return dump(json);
}

std::string result_json(const std::string& verdict, const std::string& text) {
  return dump({{"verdict", verdict}, {"text", text}});
}

}  // namespace softfeb::telemetry
