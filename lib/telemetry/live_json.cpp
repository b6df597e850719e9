// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/live_json.hpp"

#include "telemetry/metric_tables.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

namespace softfeb::telemetry {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kGbps = 8e-9;  // from bytes per second

/// Rounds to five decimals (10 kb/s) to keep the samples short.
double rounded(double v) { return std::round(v * 1e5) / 1e5; }
double gbps(double bytes_per_second) { return rounded(bytes_per_second * kGbps); }

/// Names come from files: bytes that are not UTF-8 are replaced.
std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json board_json(const Scene::Board& b) {
  Json json{{"name", b.name}, {"ip", b.ip}, {"control", b.control}, {"qps", b.qps.size()}};
  json["link_gbps"] = b.link_rate != 0 ? Json(gbps(static_cast<double>(b.link_rate))) : Json();
  bool controlled = false;
  for (const Scene::Qp& qp : b.qps) controlled = controlled || qp.algorithm != "off";
  json["dcqcn"] = controlled;
  return json;
}

Json port_json(const Scene::Port& p) {
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

Json optional_gbps(const std::optional<double>& v) { return v ? Json(gbps(*v)) : Json(); }

/// {"columns": [name …], "rows": [[value …] …]}
Json table() { return {{"columns", Json::array()}, {"rows", Json::array()}}; }

Json board_counters(const Scene& scene, const stats::Sample& sample) {
  Json out = table();
  for (const SendQpMetric& m : send_qp_metrics()) out["columns"].push_back(m.name);
  for (std::size_t b = 0; b < scene.boards.size(); ++b) {
    Json row = Json::array();
    for (const SendQpMetric& m : send_qp_metrics()) {
      std::uint64_t sum = 0;
      for (const engine::SendQpSnapshot& qp : (*sample.endpoints)[b].send_qps) sum += m.value(qp);
      row.push_back(sum);
    }
    out["rows"].push_back(std::move(row));
  }
  return out;
}

Json receiver_counters(const Scene& scene, const stats::Sample& sample) {
  Json out = table();
  for (const ReceiverMetric& m : receiver_metrics()) out["columns"].push_back(m.name);
  for (std::size_t r = 0; r < scene.receivers.size(); ++r) {
    Json row = Json::array();
    for (const ReceiverMetric& m : receiver_metrics())
      row.push_back(m.value((*sample.endpoints)[scene.boards.size() + r]));
    out["rows"].push_back(std::move(row));
  }
  return out;
}

Json port_counters(const Scene& scene, const fabric::NetworkSnapshot& network) {
  Json out = table();
  for (const PortMetric& m : port_metrics()) out["columns"].push_back(m.name);
  for (const Scene::Port& p : scene.ports) {
    Json row = Json::array();
    for (const fabric::PortSnapshot& s : network.ports) {
      if (s.switch_index != p.switch_index || s.link != p.link) continue;
      for (const PortMetric& m : port_metrics())
        row.push_back(m.seconds != nullptr ? Json(rounded(m.seconds(s))) : Json(m.value(s)));
    }
    out["rows"].push_back(std::move(row));
  }
  return out;
}

}  // namespace

std::string setup_json(const Scene& scene, double interval) {
  Json json{
      {"title", scene.title}, {"shows", scene.shows}, {"version", scene.version}, {"interval", interval}};
  json["boards"] = column(scene.boards, board_json);
  json["receivers"] = scene.receivers;
  json["ports"] = column(scene.ports, port_json);
  return dump(json);
}

std::string sample_json(const Figures& f) {
  Json json{{"t", std::round(f.at * 1e6) / 1e6}};
  using B = BoardFigures;
  json["rc"] = column(f.boards, [](const B& b) { return optional_gbps(b.rc); });
  json["rt"] = column(f.boards, [](const B& b) { return optional_gbps(b.rt); });
  json["alpha"] = column(f.boards, [](const B& b) { return rounded(b.alpha); });
  json["sent"] = column(f.boards, [](const B& b) { return gbps(b.sent); });
  json["goodput"] = column(f.boards, [](const B& b) { return optional_gbps(b.goodput); });
  json["cnp"] = column(f.boards, [](const B& b) { return b.cnps; });
  json["retx"] = column(f.boards, [](const B& b) { return b.retransmitted; });
  if (f.ports.empty()) return dump(json);
  using P = PortFigures;
  json["queue"] = column(f.ports, [](const P& p) { return p.queue; });
  json["peak"] = column(f.ports, [](const P& p) { return p.peak; });
  json["tx"] = column(f.ports, [](const P& p) { return gbps(p.tx); });
  json["paused"] = column(f.ports, [](const P& p) { return rounded(p.paused_share); });
  json["marked"] = column(f.ports, [](const P& p) { return p.ecn_marked; });
  json["dropped"] = column(f.ports, [](const P& p) { return p.dropped; });
  json["pause"] = column(f.ports, [](const P& p) { return p.pause_tx; });
  return dump(json);
}

std::string counters_json(const Scene& scene, const stats::Sample& sample) {
  Json json{{"t", to_seconds(sample.at)}};
  json["boards"] = board_counters(scene, sample);
  json["receivers"] = receiver_counters(scene, sample);
  if (sample.network != nullptr) json["ports"] = port_counters(scene, *sample.network);
  return dump(json);
}

std::string result_json(const std::string& verdict, const std::string& text) {
  return dump({{"verdict", verdict}, {"text", text}});
}

}  // namespace softfeb::telemetry
