// SPDX-License-Identifier: BSD-3-Clause
#include "report/result.hpp"

#include "config/load.hpp"
#include "lab/fault_rules.hpp"
#include "report/board_result.hpp"
#include "report/completion_result.hpp"
#include "report/cpu_result.hpp"
#include "report/event_result.hpp"
#include "report/fault_result.hpp"
#include "report/latency_result.hpp"
#include "report/registration_result.hpp"
#include "report/result_qps.hpp"
#include "report/stream_result.hpp"
#include "report/window_result.hpp"
#include "runtime/dpdk_runtime.hpp"

#include <algorithm>

namespace softfeb::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

Json missing_ranges(const roce::MessageMap& map) {
  Json ranges = Json::array();
  for (const auto& r : map.ranges()) ranges.push_back({r.first, r.last});
  return ranges;
}

Json mismatches(const roce::ReceiveQp& qp) {
  Json list = Json::array();
  if (!qp.payload_check()) return list;
  for (const auto& m : qp.payload_check()->mismatches()) {
    list.push_back({{"message", m.message}, {"offset", m.offset}, {"got", m.got}, {"want", m.want}});
  }
  return list;
}

/// Returns the result of receiving QP `i`. It has details only if messages are missing or bytes are wrong, to
/// keep the document short with thousands of QPs. For a slot of a board's metadata bus, gives the latest QPN
/// and the sums over all QPs that used the slot.
Json receive_qp(const engine::Receiver& receiver, std::size_t i) {
  const roce::ReceiveQp& qp = receiver.qp(i);
  const roce::ResponderCounters c = receiver.responder_counters(i);
  Json j{{"qpn", qp.config().responder.qpn},
         {"packets", c.packets},
         {"messages", c.messages},
         {"payload_bytes", c.payload_bytes}};
  if (i >= receiver.first_slot()) {
    j["made_by"] = receiver.peer(i).to_string();
    j["access_errors"] = c.access_errors;
  }
  const std::uint64_t missing = qp.map().missing();
  if (missing != 0) {
    j["missing"] = missing;
    j["missing_ranges"] = missing_ranges(qp.map());
    if (qp.map().unlisted() != 0) j["missing_unlisted"] = qp.map().unlisted();
  }
  if (qp.bytes_wrong() != 0) {
    j["bytes_wrong"] = qp.bytes_wrong();
    j["mismatches"] = mismatches(qp);
  }
  return j;
}

Attention attention_to(const engine::Receiver& receiver, std::size_t i) {
  const roce::ReceiveQp& qp = receiver.qp(i);
  if (qp.map().missing() != 0 || qp.bytes_wrong() != 0) return Attention::kFailed;
  const roce::ResponderCounters c = receiver.responder_counters(i);
  const bool trouble = c.access_errors != 0 || c.duplicate != 0 || c.out_of_order != 0 ||
                       c.missing_packets != 0 || c.rnr_tx != 0;
  return trouble ? Attention::kTrouble : Attention::kNone;
}

Json receiver(const config::RunConfig& config, const endpoints::Plans& plans, const stats::Outcome& o,
              endpoints::Endpoints& endpoints, std::size_t index) {
  const engine::Receiver& r = *endpoints.receivers[index];
  const engine::EndpointSnapshot& e = o.final[config.boards.size() + index];
  roce::ResponderCounters sum;
  std::uint64_t wrong = 0;
  std::uint64_t missing = 0;
  std::uint64_t marked = 0;
  std::vector<std::size_t> used;
  std::vector<Attention> attention;
  std::vector<double> messages;
  for (std::size_t i = 0; i < r.qp_count(); ++i) {
    const roce::ReceiveQp& qp = r.qp(i);
    sum += r.responder_counters(i);
    wrong += qp.bytes_wrong();
    missing += qp.map().missing();
    marked += qp.congestion_experienced();
    if (!r.qp_used(i)) continue;
    used.push_back(i);
    attention.push_back(attention_to(r, i));
    messages.push_back(static_cast<double>(r.responder_counters(i).messages));
  }
  Json qps = Json::array();
  for (const std::size_t k : listed_qps(attention, config.run.result_qps))
    qps.push_back(receive_qp(r, used[k]));
  Json summary = qp_numbers(attention, qps.size());
  summary["messages"] = spread(std::move(messages));
  Json json{{"name", config.receivers[index].endpoint.name},
            {"ip", config.receivers[index].endpoint.ip.to_string()},
            {"messages", sum.messages},
            {"payload_bytes", sum.payload_bytes},
            {"completed_payload_bytes", sum.completed_bytes},
            {"packets", sum.packets},
            {"immediates", sum.immediates},
            {"bytes_wrong", wrong},
            {"missing", missing},
            {"missing_packets", sum.missing_packets},
            {"duplicate", sum.duplicate},
            {"out_of_order", sum.out_of_order},
            {"icrc_errors", e.endpoint.rx_icrc_errors},
            {"ecn_ce", marked},
            {"cnp_tx", e.cnp_tx},
            {"rx_pause", e.endpoint.rx_pause},
            {"paused_s", to_seconds(e.paused)},
            {"ack_tx", sum.ack_tx},
            {"nak_sequence_tx", sum.nak_sequence_tx},
            {"nak_error_tx", sum.nak_error_tx},
            {"rnr_tx", sum.rnr_tx},
            {"replies_dropped", e.replies_dropped}};
  if (e.grants) {
    json["grant_tx"] = e.grant_tx;
    json["resend_tx"] = e.resend_tx;
    json["busy_rx"] = e.busy_rx;
  }
  if (config.receivers[index].receive_rate != 0) json["no_receive"] = sum.no_receive;
  const auto goodput = stats::receiver_goodput_gbps(config, o, index);
  json["goodput_gbps"] = goodput ? Json(*goodput) : Json(nullptr);
  add_windows(json, config, plans, o, endpoints, index);
  add_transfers(json, endpoints, index);
  add_ordering(json, endpoints, index);
  add_receiver_events(json, config, o, endpoints, index);
  add_streams(json, o, endpoints, index);
  json["summary"] = std::move(summary);
  json["qps"] = std::move(qps);
  return json;
}

/// Returns the pacing method of a port, and its accuracy.
Json port_pacing(const runtime::RunPort& p) {
  const dataplane::PacingConfig& c = p.port->config().pacing;
  Json j{{"way", dataplane::to_string(c.way)}};
  if (c.way == dataplane::Pacing::kQueueRate) {
    j["queues_mbps"] = Json::array();
    for (const std::uint64_t rate : c.queue_rates)
      j["queues_mbps"].push_back(dataplane::queue_rate_mbps(rate));
  }
  if (c.way == dataplane::Pacing::kTimestamp) {
    dataplane::DepartureCounters all;
    for (const auto& s : p.stamps) {
      all.overruns += s->counters().overruns;
      all.latest = std::max(all.latest, s->counters().latest);
    }
    j["horizon_us"] = to_seconds(c.horizon) * 1e6;
    j["late_turns"] = all.overruns;
    j["latest_us"] = to_seconds(all.latest) * 1e6;
    j["clock_correction_us"] = to_seconds(p.clock->largest_correction()) * 1e6;
  }
  return j;
}

Json port(const runtime::RunPort& p, const std::vector<lab::RuleResult>& rules) {
  const dataplane::PortCounters c = p.port->counters();
  Json j{{"name", p.name},
         {"driver", p.port->capabilities().driver},
         {"mtu", p.port->mtu()},
         {"rx_packets", c.rx_packets},
         {"tx_packets", c.tx_packets},
         {"rx_missed", c.rx_missed},
         {"rx_errors", c.rx_errors},
         {"rx_no_mbuf", c.rx_no_mbuf},
         {"tx_errors", c.tx_errors},
         {"pacing", port_pacing(p)}};
  faults::FaultCounters tx;
  std::uint64_t rx_dropped = 0;
  for (const auto& f : p.tx_faults) {
    tx.dropped += f->counters().dropped;
    tx.corrupted += f->counters().corrupted;
    tx.duplicated += f->counters().duplicated;
    tx.reordered += f->counters().reordered;
    tx.marked_ce += f->counters().marked_ce;
  }
  for (const auto& f : p.rx_faults) rx_dropped += f->counters().dropped;
  if (!p.tx_faults.empty()) {
    j["faults"] = {{"tx_dropped", tx.dropped},       {"tx_corrupted", tx.corrupted},
                   {"tx_duplicated", tx.duplicated}, {"tx_reordered", tx.reordered},
                   {"tx_marked_ce", tx.marked_ce},   {"rx_dropped", rx_dropped}};
    if (!rules.empty()) j["faults"]["rules"] = fault_rules(rules);
  }
  return j;
}

Json changes(const config::RunConfig& config, const stats::Outcome& o) {
  Json list = Json::array();
  for (std::size_t i = 0; i < config.changes.size(); ++i) {
    const config::ChangeConfig& c = config.changes[i];
    list.push_back({{"at_s", to_seconds(c.at)},
                    {"board", config.boards[c.board].endpoint.name},
                    {"qp", c.qp ? Json(*c.qp) : Json(nullptr)},
                    {"made", o.changes_made[i] != 0}});
  }
  return list;
}

/// Describes the worker that runs the simulated network: its traffic, and whether the worker kept up.
Json network_relay(const dataplane::NetworkRelayCounters& c) {
  return {{"rx_packets", c.rx_packets},   {"rx_stranger", c.rx_stranger},
          {"rx_unusable", c.rx_unusable}, {"tx_packets", c.tx_packets},
          {"tx_short", c.tx_short},       {"tx_dropped", c.tx_dropped},
          {"held_up", c.held_up},         {"late_turns", c.overruns},
          {"late_s", to_seconds(c.late)}, {"latest_us", to_seconds(c.latest) * 1e6}};
}

Json workers(const stats::Outcome& o) {
  Json list = Json::array();
  for (std::size_t i = 0; i < o.workers.size(); ++i) {
    const dataplane::WorkerStats& w = o.workers[i];
    list.push_back({{"tx_packets", w.port_queues.tx_packets},
                    {"rx_packets", w.port_queues.rx_packets},
                    {"rx_nobody", w.port_queues.rx_nobody},
                    {"rx_malformed", w.port_queues.rx_malformed},
                    {"rx_handed_over", w.port_queues.rx_handed_over},
                    {"ring_full", w.port_queues.ring_full},
                    {"tx_short", w.port_queues.tx_short},
                    {"turns", w.loop.turns},
                    {"busy_turns", w.loop.busy_turns},
                    {"longest_gap_us", to_seconds(w.loop.longest_gap) * 1e6},
                    {"stolen_s", to_seconds(w.loop.preempted)}});
    if (i < o.cpu.size()) list.back()["cpu"] = cpu_result(o.cpu[i]);
    if (w.network.rx_packets != 0) list.back()["network"] = network_relay(w.network);
  }
  return list;
}

/// Adds the key `host` after `name` or, if there is no name, at the beginning.
void name_host(Json& object, const std::string& host) {
  Json named;
  if (object.contains("name")) named["name"] = object["name"];
  named["host"] = host;
  for (auto& [key, value] : object.items())
    if (key != "name") named[key] = std::move(value);
  object = std::move(named);
}

Json microseconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-3; }

Json host_result(const config::HostConfig& config, const stats::HostOutcome& h) {
  const auto offset = [](const hosts::ClockReading& r) {
    return r.known ? microseconds(r.offset_ns) : Json();
  };
  const auto bound = [](const hosts::ClockReading& r) { return r.known ? microseconds(r.bound_ns) : Json(); };
  return {{"name", config.name},
          {"clock_offset_us", offset(h.clock_before)},
          {"clock_bound_us", bound(h.clock_before)},
          {"clock_offset_after_us", offset(h.clock_after)},
          {"clock_bound_after_us", bound(h.clock_after)},
          {"start_error_us", microseconds(h.start_error_ns)},
          {"first_packet_us", h.first_packet_ns ? microseconds(*h.first_packet_ns) : Json()}};
}

/// Adds `hosts`, `timing`, and the host of each board, receiver, port and worker.
void add_hosts(Json& j, const config::RunConfig& config, const stats::Outcome& o) {
  const auto limit = static_cast<std::int64_t>(config.run.clock_limit / kNanosecond);
  const auto comparable = [limit](const stats::HostOutcome& h) {
    return h.clock_before.within(limit) && h.clock_after.within(limit);
  };
  j["timing"] = std::all_of(o.hosts.begin(), o.hosts.end(), comparable) ? "conclusive" : "inconclusive";
  j["hosts"] = Json::array();
  for (std::size_t h = 0; h < o.hosts.size(); ++h)
    j["hosts"].push_back(host_result(config.hosts[h], o.hosts[h]));
  const auto host_of = [&](std::size_t port) { return config.hosts[config.ports[port].host.value()].name; };
  for (std::size_t b = 0; b < config.boards.size(); ++b)
    name_host(j["boards"][b], host_of(config.boards[b].endpoint.port));
  for (std::size_t r = 0; r < config.receivers.size(); ++r)
    name_host(j["receivers"][r], host_of(config.receivers[r].endpoint.port));
  for (std::size_t p = 0; p < config.ports.size(); ++p)
    if (!j["ports"][p].is_null()) name_host(j["ports"][p], host_of(p));
  for (std::size_t w = 0; w < o.worker_hosts.size(); ++w)
    name_host(j["workers"][w], config.hosts[o.worker_hosts[w]].name);
}

Json clock(const dataplane::ClockDiscipline& d) {
  return {{"hz", d.calibration().hz},
          {"calibration_difference_ppm", d.calibration().difference_ppm},
          {"drift_ppm", d.drift_ppm()},
          {"readings", d.readings()},
          {"offset_ns", static_cast<double>(d.offset()) * 1e-3},
          {"largest_offset_ns", static_cast<double>(d.largest_offset()) * 1e-3}};
}

}  // namespace

Json ports_result(const config::RunConfig& config, const runtime::DpdkRuntime& dpdk,
                  const stats::Outcome& o) {
  Json ports = Json::array();
  for (std::size_t p = 0; p < dpdk.ports().size(); ++p) {
    if (dpdk.ports()[p].is_here())
      ports.push_back(port(dpdk.ports()[p], lab::rules_of_port(config, p, o)));
    else
      ports.push_back(p < o.ports.size() ? o.ports[p] : Json());
  }
  return ports;
}

Json part_of_host(const Json& result, const std::string& host, const std::string& why) {
  Json part = result;
  part["verdict"] = "incomplete";
  for (const char* list : {"boards", "receivers", "ports", "workers"}) {
    part[list] = Json::array();
    for (const Json& element : result.at(list))
      if (element.is_object() && element.value("host", "") == host) part[list].push_back(element);
  }
  for (const char* sum : {"goodput_gbps", "tx_payload_gbps"}) part[sum] = nullptr;
  part["checks"] = Json::array();
  part["messages"] = {why};
  return part;
}

Json make_result(const config::RunConfig& config, const runtime::DpdkRuntime* dpdk,
                 const endpoints::Plans& plans, const stats::Outcome& o, endpoints::Endpoints& endpoints,
                 const std::vector<endpoints::Targets::Session>& sessions, const lab::Judgement& judgement) {
  Json j;
  j["schema_version"] = kSchemaVersion;
  j["verdict"] = judgement.held() ? "held" : "failed";
  j["config"] = config::to_json(config);
  if (dpdk != nullptr) j["start_up_s"] = o.start_up_s;
  j["duration_s"] = to_seconds(o.stopped - o.started);
  j["measured_s"] = stats::measured_seconds(plans, o);
  j["warmup_excluded"] = !o.baseline.empty();
  j["interrupted"] = o.interrupted;
  add_triggers(j, config, o, endpoints);
  j["boards"] = Json::array();
  double tx_payload_gbps = 0;
  for (std::size_t b = 0; b < config.boards.size(); ++b) {
    j["boards"].push_back(board_result(config, plans, o, b));
    add_board_events(j["boards"].back(), endpoints, b);
    add_traffic_gen(j["boards"].back(), o, endpoints, b);
    if (dpdk != nullptr) j["boards"].back()["bytes_per_qp"] = endpoints.boards[b]->memory_per_qp();
    if (!o.control.empty() && !o.control[b].is_null()) j["boards"].back()["control"] = o.control[b];
    tx_payload_gbps += j["boards"].back()["tx_payload_gbps"].get<double>();
  }
  const auto goodput = stats::total_goodput_gbps(config, o);
  j["goodput_gbps"] = goodput ? Json(*goodput) : Json(nullptr);
  j["tx_payload_gbps"] = tx_payload_gbps;
  add_completion_times(j, endpoints, o.ended);
  add_latency(j, o.stages);
  j["receivers"] = Json::array();
  for (std::size_t r = 0; r < config.receivers.size(); ++r) {
    j["receivers"].push_back(receiver(config, plans, o, endpoints, r));
  }
  j["peers"] = Json::array();
  for (const auto& s : sessions) {
    j["peers"].push_back(
        {{"url", s.url}, {"report", s.report}, {"error", s.error.empty() ? Json(nullptr) : Json(s.error)}});
  }
  j["changes"] = changes(config, o);
  j["switches"] = Json::array();
  j["fairness_jain"] = nullptr;
  j["ports"] = dpdk != nullptr ? ports_result(config, *dpdk, o) : Json::array();
  j["workers"] = workers(o);
  if (!o.hosts.empty()) add_hosts(j, config, o);
  if (dpdk != nullptr) j["clock"] = clock(dpdk->clock().discipline());
  j["stolen_share"] = stats::preempted_share(o);
  j["control_unserved"] = o.control_unserved;
  j["checks"] = Json::array();
  for (const lab::Check& c : judgement.checks) {
    j["checks"].push_back({{"name", c.name}, {"held", c.held}, {"value", c.value}, {"limit", c.limit}});
  }
  j["messages"] = judgement.messages;
  return j;
}

}  // namespace softfeb::report
