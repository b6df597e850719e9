// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/live_json.hpp"

#include "congestion/algorithm.hpp"
#include "telemetry/json_text.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softfeb::telemetry {
namespace {

constexpr double kGbps = 8e-9;  // Gb/s per byte per second

double gbps(double bytes_per_second) { return rounded(bytes_per_second * kGbps); }

/// Returns alpha: 0 without congestion control, null for algorithms that have no alpha.
Json alpha(const stats::ControlState& control) {
  if (control.controls == 0) return 0.0;
  const std::optional<double> mean = control.alpha.mean();
  return mean ? Json(rounded(*mean)) : Json();
}

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

/// Adds columns for the quantities that the algorithm of at least one board has. Other columns are omitted,
/// so samples of DCQCN stay short.
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

/// Adds the shares of the workers' time: for each stage, and for `idle`, one number per worker.
void add_workers(Json& json, const std::vector<stats::WorkerInterval>& workers) {
  if (workers.empty()) return;
  Json& out = json["cpu"];
  for (std::size_t i = 0; i < engine::kStages; ++i) {
    out[engine::to_string(static_cast<engine::Stage>(i))] =
        column(workers, [i](const stats::WorkerInterval& w) { return rounded(w.stages[i]); });
  }
  out["idle"] = column(workers, [](const stats::WorkerInterval& w) { return rounded(w.idle); });
}

/// Adds the traffic of generators and of streams of datagrams. `shown` is a factor for all rates: 1, or 0 if
/// there are no rates yet.
void add_datagrams(Json& json, const stats::RunInterval& interval, double shown) {
  if (interval.traffic_gens) {
    const stats::TrafficGenInterval& g = *interval.traffic_gens;
    json["traffic_gen"] = {{"generators", g.generators},
                           {"running", g.running},
                           {"packets", rounded(g.packets * shown)},
                           {"gbps", gbps(g.payload * shown)}};
  }
  if (interval.streams) {
    const stats::StreamInterval& s = *interval.streams;
    json["streams"] = {
        {"datagrams", rounded(s.datagrams * shown)}, {"gbps", gbps(s.bytes * shown)}, {"dropped", s.dropped}};
  }
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
    const auto built = [&](const auto& value) { return e.built ? Json(value) : Json(); };
    json["events"] = {{"rate", built(rounded(e.rate * shown))},
                      {"complete", built(e.complete)},
                      {"incomplete", built(e.incomplete)},
                      {"lost", e.lost},
                      {"busy", rounded(e.busy_share * shown)}};
  }
  add_datagrams(json, interval, shown);
  add_workers(json, interval.workers);
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

std::string result_json(const std::string& verdict, const std::string& text) {
  return dump({{"verdict", verdict}, {"text", text}});
}

}  // namespace softfeb::telemetry
