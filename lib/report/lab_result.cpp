// SPDX-License-Identifier: BSD-3-Clause
#include "report/lab_result.hpp"

#include "base/exit_code.hpp"
#include "config/load.hpp"
#include "fabric/names.hpp"
#include "fabric/rate_limits.hpp"
#include "report/completion_result.hpp"
#include "report/fault_result.hpp"
#include "report/port_series.hpp"
#include "report/spread_result.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

using Json = nlohmann::ordered_json;

const std::string& node_name(const config::LabConfig& config, const fabric::NodeRef& node) {
  return node.kind == fabric::NodeRef::Kind::kStation ? config.network.stations[node.index].name
                                                      : config.network.switches[node.index].name;
}

Json or_null(const std::optional<lab::Share>& s) { return s ? Json(lab::to_double(*s)) : Json(nullptr); }

/// Divides instead of multiplying by a reciprocal, so that the result is correctly rounded: 200 ms is 0.2.
double seconds(Time t) { return static_cast<double>(t) / static_cast<double>(kSecond); }
double milliseconds(Time t) { return static_cast<double>(t) / static_cast<double>(kMillisecond); }

/// Writes counts and sizes as integers, and infinity as null, because JSON has no infinity.
Json number(const std::optional<double>& v, config::LimitUnit unit) {
  if (!v || std::isinf(*v)) return nullptr;
  if (unit == config::LimitUnit::kCount || unit == config::LimitUnit::kBytes)
    return static_cast<std::uint64_t>(*v);
  return *v;
}

Json names(const config::LabConfig& config, const std::vector<std::size_t>& boards) {
  Json list = Json::array();
  for (const std::size_t b : boards) list.push_back(config.run.boards[b].endpoint.name);
  return list;
}

Json queues(const fabric::PortSnapshot& p, std::size_t count) {
  Json list = Json::array();
  for (std::size_t q = 0; q < count; ++q) {
    const fabric::QueueSnapshot& queue = p.queues[q];
    list.push_back({{"queue", q},
                    {"tx_packets", queue.tx_packets},
                    {"tx_wire_bytes", queue.tx_wire_bytes},
                    {"queue_bytes", p.queue_bytes_of[q]},
                    {"queue_bytes_max", queue.bytes_max},
                    {"ecn_marked", queue.ecn_marked},
                    {"dropped", queue.dropped},
                    {"starved_ms", milliseconds(queue.starved)}});
  }
  return list;
}

bool drops_not_ect(const fabric::SwitchConfig& sw) {
  return std::any_of(sw.queues.begin(), sw.queues.end(),
                     [](const fabric::QueueConfig& q) { return q.ecn.enabled && q.ecn.drop_not_ect; });
}

/// Returns the result of a switch port. The members for features that are off by default are present only if
/// the switch uses the feature.
Json port(const fabric::NetworkConfig& network, const fabric::PortSnapshot& p, const std::string& name) {
  const fabric::SwitchConfig& sw = network.switches[p.switch_index];
  Json json{{"name", name},
            {"rate_gbps", static_cast<double>(p.rate) * 8 / 1e9},
            {"tx_packets", p.tx_packets},
            {"tx_bytes", p.tx_bytes},
            {"tx_wire_bytes", p.tx_wire_bytes},
            {"rx_packets", p.rx_packets},
            {"rx_bytes", p.rx_bytes},
            {"queue_bytes", p.queue_bytes},
            {"queue_bytes_max", p.queue_bytes_max},
            {"ecn_marked", p.ecn_marked},
            {"dropped", p.dropped},
            {"pause_tx", p.pause_tx},
            {"resume_tx", p.resume_tx},
            {"pause_rx", p.pause_rx},
            {"paused_s", seconds(p.paused)},
            {"cnp_forged", p.cnp_forged}};
  if (sw.int_on) {
    json["cch_hops"] = p.cch_hops;
    json["cch_invalid"] = p.cch_invalid;
  }
  if (drops_not_ect(sw)) json["ecn_dropped"] = p.ecn_dropped;
  if (sw.watchdog.detection != 0) {
    json["watchdog_storms"] = p.watchdog_storms;
    json["watchdog_restored"] = p.watchdog_restored;
    json["watchdog_dropped"] = p.watchdog_dropped;
    json["watchdog_forwarded"] = p.watchdog_forwarded;
  }
  if (sw.mtu != 0) json["rx_oversize"] = p.rx_oversize;
  if (network.links[p.link].vlans) json["vlan_dropped"] = p.vlan_dropped;
  if (sw.routes) json["ttl_expired"] = p.ttl_expired;
  if (sw.priorities != 0) {
    json["queues"] = queues(p, sw.priorities);
  } else if (sw.scheduler.by_packets || fabric::RateLimits::needed(sw)) {
    json["queues"] = queues(p, fabric::kQueues);
  }
  return json;
}

Json switches(const config::LabConfig& config, const fabric::NetworkSnapshot& network) {
  const std::vector<std::string> port_name = port_names(config.network, network);
  Json list = Json::array();
  for (std::uint32_t s = 0; s < config.network.switches.size(); ++s) {
    const fabric::SwitchConfig& sw = config.network.switches[s];
    std::uint64_t longest = 0, marked = 0, dropped = 0, pause_tx = 0, pause_rx = 0, forged = 0;
    std::uint64_t hops = 0, invalid = 0;
    Json ports = Json::array();
    for (std::size_t i = 0; i < network.ports.size(); ++i) {
      const fabric::PortSnapshot& p = network.ports[i];
      if (p.switch_index != s) continue;
      longest = std::max(longest, p.queue_bytes_max);
      marked += p.ecn_marked;
      dropped += p.dropped;
      pause_tx += p.pause_tx;
      pause_rx += p.pause_rx;
      forged += p.cnp_forged;
      hops += p.cch_hops;
      invalid += p.cch_invalid;
      ports.push_back(port(config.network, p, port_name[i]));
    }
    Json json{{"name", sw.name},     {"queue_bytes_max", longest}, {"ecn_marked", marked},
              {"dropped", dropped},  {"pause_tx", pause_tx},       {"pause_rx", pause_rx},
              {"cnp_forged", forged}};
    if (sw.int_on) {
      json["int_id"] = fabric::int_id_of(config.network, s);
      json["cch_hops"] = hops;
      json["cch_invalid"] = invalid;
    }
    json["ports"] = std::move(ports);
    list.push_back(std::move(json));
  }
  return list;
}

Json windows(const lab::WindowStats& w) {
  return {{"window_ms", w.length / kMillisecond},      {"steady_windows", w.windows},
          {"jain_min", or_null(w.jain_min)},           {"jain_mean", or_null(w.jain_mean)},
          {"port_used_min", or_null(w.port_used_min)}, {"port_used_mean", or_null(w.port_used_mean)}};
}

Json totals(const lab::Totals& t) {
  return {{"packets", t.packets},
          {"retransmitted", t.retransmitted},
          {"timeouts", t.timeouts},
          {"messages_completed", t.messages_completed},
          {"messages_failed", t.messages_failed},
          {"cnp_tx", t.cnp_tx},
          {"cnp_rx", t.cnp_rx},
          {"bytes_wrong", t.bytes_wrong},
          {"dropped", t.dropped},
          {"lost", t.lost},
          {"ecn_marked", t.ecn_marked},
          {"pause_tx", t.pause_tx},
          {"pause_rx", t.pause_rx},
          {"cnp_forged", t.cnp_forged}};
}

Json changes(const config::LabConfig& config, const std::vector<lab::ChangeStats>& all) {
  Json list = Json::array();
  for (const lab::ChangeStats& c : all) {
    list.push_back({{"at_s", seconds(c.change.at)},
                    {"starting", names(config, c.change.starting)},
                    {"stopping", names(config, c.change.stopping)},
                    {"sending", c.change.sending.size()},
                    {"converged_ms", c.converged ? Json(milliseconds(*c.converged)) : Json(nullptr)}});
  }
  return list;
}

Json figures(const config::LabConfig& config, const lab::RunStats& f) {
  Json w = Json::array();
  for (const lab::WindowStats& of : f.metrics.windows) w.push_back(windows(of));
  Json conservation = Json::array();
  for (const lab::Balance& b : f.balances) {
    conservation.push_back({{"name", b.name},
                            {"left_is", b.left_is},
                            {"left", b.left},
                            {"right_is", b.right_is},
                            {"right", b.right}});
  }
  const auto share = [](const std::optional<double>& v) { return number(v, config::LimitUnit::kShare); };
  Json j{{"windows", std::move(w)},
         {"changes", changes(config, f.metrics.changes)},
         {"starvation_ms", *lab::value_of("starvation", f) * 1e3},
         {"offered", or_null(f.metrics.offered)},
         {"demand_met", or_null(f.metrics.demand_met)},
         {"resolution_ms",
          f.totals.resolution == kNever ? Json(nullptr) : Json(milliseconds(f.totals.resolution))},
         {"queue_bytes_max", f.metrics.queue_bytes_max},
         {"queue_bytes_mean", f.metrics.queue_bytes_mean},
         {"rate_tracking", share(f.rate_tracking)},
         {"sawtooth", share(f.sawtooth)},
         {"totals", totals(f.totals)},
         {"conservation", std::move(conservation)},
         {"memory_wrong", f.memory_wrong}};
  if (const lab::Spread* const worst = lab::worst_spread(f.spreads)) {
    j["spread_jain"] = lab::to_double(*worst->jain);
    j["spread_max_mean"] = lab::to_double(*worst->max_mean);
  }
  if (f.completion_times) j["completion_times"] = completion_json(*f.completion_times);
  return j;
}

Json checks(const std::vector<lab::CheckResult>& all) {
  Json list = Json::array();
  for (const lab::CheckResult& c : all) {
    list.push_back({{"name", c.name},
                    {"held", c.held},
                    {"value", number(c.value, c.unit)},
                    {"limit", number(c.limit, c.unit)},
                    {"gated", c.gated}});
  }
  return list;
}

/// True if a switch may drop frames because of its MTU, VLANs or TTL.
bool has_port_rules(const fabric::NetworkConfig& network) {
  return std::any_of(network.switches.begin(), network.switches.end(),
                     [](const auto& sw) { return sw.mtu != 0 || sw.routes; }) ||
         std::any_of(network.links.begin(), network.links.end(),
                     [](const auto& link) { return link.vlans.has_value(); });
}

Json network_totals(const fabric::NetworkConfig& network, const fabric::NetworkTotals& t) {
  Json json{{"entered", t.entered},
            {"made", t.made},
            {"duplicated", t.duplicated},
            {"delivered", t.delivered},
            {"consumed", t.consumed},
            {"dropped_buffer", t.dropped_buffer},
            {"dropped_fault", t.dropped_fault},
            {"dropped_unknown", t.dropped_unknown}};
  if (has_port_rules(network)) json["dropped_rules"] = t.dropped_rules;
  json["dropped_store"] = t.dropped_store;
  json["in_network"] = t.in_network;
  json["corrupted"] = t.corrupted;
  json["reordered"] = t.reordered;
  return json;
}

/// Returns the fault rules of links: for each direction that has rules, the place of each rule in the
/// configuration file and the rule's counters.
Json link_faults(const config::LabConfig& config, const lab::RunStats& f) {
  Json list = Json::array();
  for (const lab::LinkRuleResults& of : f.link_rules) {
    const fabric::LinkConfig& link = config.network.links[of.link];
    list.push_back({{"link", config.link_names[of.link]},
                    {"from", node_name(config, of.back ? link.b : link.a)},
                    {"to", node_name(config, of.back ? link.a : link.b)},
                    {"rules", fault_rules(of.rules)}});
  }
  return list;
}

void add_to_boards(Json& boards, const lab::LabStats& m) {
  for (std::size_t b = 0; b < boards.size(); ++b) {
    const bool known = m.known[b] != 0;
    boards[b]["delivered_bytes"] = known ? Json(m.delivered[b]) : Json(nullptr);
    boards[b]["starvation_ms"] = known ? Json(milliseconds(m.starvation[b])) : Json(nullptr);
  }
}

}  // namespace

LabRun judge_lab(const config::LabConfig& config, lab::RunStats figures) {
  LabRun run;
  run.checks = lab::judge(config.lab, figures);
  run.verdict = lab::verdict_of(config.lab, figures, run.checks);
  run.figures = std::move(figures);
  return run;
}

lab::Verdict verdict_of(const lab::Judgement& judgement, const LabRun& run, const LabRun* in_virtual) {
  if (!judgement.held()) return lab::Verdict::kFailed;
  if (in_virtual != nullptr && in_virtual->verdict == lab::Verdict::kFailed) return lab::Verdict::kFailed;
  return run.verdict;
}

int exit_code_of(lab::Verdict verdict) { return verdict == lab::Verdict::kFailed ? kCheckFailed : kDone; }

void add_lab(Json& result, const config::LabConfig& config, const fabric::NetworkSnapshot& network,
             const lab::Judgement& judgement, const LabRun& run, const LabRun* in_virtual) {
  result["config"] = config::to_json(config);
  result["verdict"] = lab::to_string(verdict_of(judgement, run, in_virtual));
  result["switches"] = switches(config, network);
  result["fairness_jain"] = or_null(run.figures.metrics.over_100ms().jain_min);
  add_to_boards(result["boards"], run.figures.metrics);
  for (Json& check : checks(run.checks)) result["checks"].push_back(std::move(check));
  Json lab{{"title", config.lab.title},
           {"time", run.figures.virtual_time ? "virtual" : "real"},
           {"bottleneck", bottleneck_name(config)},
           {"stolen_share", run.figures.preempted_share},
           {"stolen_limit", config.lab.stolen_limit},
           {"verdict", lab::to_string(run.verdict)},
           {"figures", figures(config, run.figures)},
           {"network", network_totals(config.network, network.totals)}};
  if (!run.figures.link_rules.empty()) lab["link_faults"] = link_faults(config, run.figures);
  if (!run.figures.spreads.empty()) lab["spread"] = spread_json(config, run.figures.spreads);
  if (in_virtual != nullptr) {
    lab["virtual"] = {{"verdict", lab::to_string(in_virtual->verdict)},
                      {"figures", figures(config, in_virtual->figures)},
                      {"checks", checks(in_virtual->checks)}};
    if (!in_virtual->figures.link_rules.empty())
      lab["virtual"]["link_faults"] = link_faults(config, in_virtual->figures);
    if (!in_virtual->figures.spreads.empty())
      lab["virtual"]["spread"] = spread_json(config, in_virtual->figures.spreads);
  }
  result["lab"] = std::move(lab);
}

std::string bottleneck_name(const config::LabConfig& config) {
  if (!config.lab.bottleneck) return "";
  const fabric::NodeRef sender{fabric::NodeRef::Kind::kSwitch, config.lab.bottleneck_switch};
  return node_name(config, sender) + '.' + fabric::peer_name(config.network, sender, *config.lab.bottleneck);
}

std::string board_names(const config::LabConfig& config, const std::vector<std::size_t>& boards) {
  std::string text;
  for (std::size_t i = 0; i < boards.size(); ++i) {
    if (boards.size() > 4 && i == 2) return text + fmt::format(" and {} more", boards.size() - 2);
    text += (i == 0 ? "" : ", ") + config.run.boards[boards[i]].endpoint.name;
  }
  return text;
}

}  // namespace softfeb::report
