// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/run_parts.hpp"

#include "base/exit_code.hpp"
#include "report/control_result.hpp"
#include "report/pacers.hpp"
#include "runtime/port_setup.hpp"
#include "runtime/stop_signal.hpp"
#include "stats/goodput.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace softfeb::experiment {

namespace {

peers::PeerResults results_of(const endpoints::Targets& targets, const endpoints::Targets::Session& session,
                              const stats::Outcome& o) {
  peers::PeerResults r;
  r.complete = true;
  for (const std::size_t i : session.plans) {
    const endpoints::QpPlan& plan = targets.plans()[i];
    const auto& qp = o.final[plan.board].send_qps[plan.on_board];
    r.complete = r.complete && qp.requester.messages_completed == qp.messages_made;
    r.messages += qp.requester.messages_completed;
    r.payload_bytes += qp.completed_payload_bytes;
    r.messages_of_qp.push_back(qp.requester.messages_completed);
  }
  r.seconds = stats::measured_seconds(targets.all(), o);
  return r;
}

/// What rdma-sink says of the queue pairs of a session, if it measured a time itself: without immediates it
/// has only ours. Its rate is of all of them together, in parts as large as what each received.
void take_goodput(const endpoints::Targets& targets, const endpoints::Targets::Session& session,
                  stats::Outcome& o) {
  const nlohmann::json& r = session.report;
  const auto number = [](const nlohmann::json& of, const char* key) {
    const auto it = of.find(key);
    return it != of.end() && it->is_number() ? it->get<double>() : 0.0;
  };
  if (!r.is_object() || r.value("timed_by", nlohmann::json()) != "receiver" || !r.contains("qps")) return;
  const nlohmann::json& qps = r["qps"];
  const double seconds = number(r, "duration_s"), gbps = number(r, "goodput_gbps");
  const double all = number(r, "payload_bytes");
  // It comes from the network: nothing that is no rate, or no number of bytes.
  constexpr double kMostBytes = 1e18;
  if (!qps.is_array() || qps.size() != session.plans.size() || seconds <= 0 || gbps < 0 || all <= 0) return;
  if (gbps * seconds / 8e-9 > kMostBytes) return;
  for (std::size_t k = 0; k < qps.size(); ++k) {
    if (!qps[k].is_object()) continue;
    const double part = number(qps[k], "payload_bytes") / all;
    if (part < 0 || part > 1) continue;
    const endpoints::QpPlan& plan = targets.plans()[session.plans[k]];
    o.reported[{plan.board, plan.on_board}] = {seconds, gbps * part};
  }
}

}  // namespace

void print_start(const config::RunConfig& config, const runtime::DpdkRuntime& dpdk,
                 const runtime::WorkerPool& pool) {
  for (const runtime::RunPort& p : dpdk.ports()) {
    const dataplane::Capabilities& c = p.port->capabilities();
    fmt::print(stderr, "port {}: {}, MTU {}, path MTU up to {}, {} queue{}, {}, flow control {}, {}\n",
               p.name, c.driver, p.port->mtu(), p.port->largest_path_mtu(false), p.queues,
               p.queues == 1 ? "" : "s",
               c.multi_segments ? "payload attached without a copy" : "payload copied into one segment",
               p.port->flow_control().in_words, p.link_state());
    for (const std::string& w : p.port->warnings()) fmt::print(stderr, "port {}: {}\n", p.name, w);
  }
  for (const std::string& line : pool.steering()) fmt::print(stderr, "{}\n", line);
  fmt::print(stderr, "{}", pool.map());
  for (const dataplane::FarPort& f : dataplane::far_ports(runtime::worker_rows(config, dpdk.lcores())))
    fmt::print(stderr, "port {}: {}; {}\n", f.port, f.found, f.fix);
  for (const std::string& line : report::pacer_lines(config)) fmt::print(stderr, "{}\n", line);
  const char* const idle = config.workers.idle == config::Idle::kSpin    ? "spin"
                           : config.workers.idle == config::Idle::kPause ? "pause"
                                                                         : "sleep";
  fmt::print(stderr, "memory: {}; idle workers {}{}\n", dpdk.huge_pages() ? "huge pages" : "ordinary pages",
             idle, dataplane::shares_cpus(dpdk.lcores()) ? " (some threads share a CPU)" : "");
}

void print_control(const config::RunConfig& config, const slowcontrol::ControlService& service) {
  constexpr std::size_t kMost = 8;
  const auto& boards = service.boards();
  for (std::size_t i = 0; i < boards.size(); ++i) {
    if (boards.size() > kMost && i != 0 && i + 1 != boards.size()) {
      if (i == 1) fmt::print(stderr, "... and {} boards more, until\n", boards.size() - 2);
      continue;
    }
    for (const std::string& line : report::control_lines(config, *boards[i]))
      fmt::print(stderr, "{}\n", line);
  }
}

void end_sessions(endpoints::Targets& targets, stats::Outcome& o) {
  for (endpoints::Targets::Session& s : targets.sessions()) {
    try {
      s.report = s.session->end(results_of(targets, s, o));
      take_goodput(targets, s, o);
    } catch (const peers::PeerError& e) {
      s.error = e.what();
    }
  }
}

void print_missed_changes(const config::RunConfig& config, const stats::Outcome& o) {
  for (std::size_t i = 0; i < config.changes.size(); ++i) {
    if (o.changes_made[i] != 0) continue;
    fmt::print(stderr, "the change of board {} at {:g} s was not made: the run was over before\n",
               config.boards[config.changes[i].board].endpoint.name, to_seconds(config.changes[i].at));
  }
}

void close_maps(const endpoints::Targets& targets, const stats::Outcome& o, endpoints::Endpoints& endpoints) {
  endpoints::close_maps(targets.all(), o.final, endpoints);
}

void connect_peers(const config::RunConfig& config, runtime::DpdkRuntime& dpdk, endpoints::Targets& targets,
                   const endpoints::Payloads& payloads, bool quiet, const config::LabConfig* lab) {
  if (!targets.needs_sessions()) return;
  endpoints::Endpoints listeners = endpoints::make_listeners(config);
  runtime::WorkerPool pool(config, dpdk, listeners, lab);
  targets.connect(
      payloads,
      [quiet](const std::string& line) {
        if (!quiet) fmt::print(stderr, "{}\n", line);
      },
      [&dpdk](std::size_t port) { return dpdk.ports()[port].link_text(); },
      [] { return runtime::stop_signals() != 0; });
}

std::vector<std::uint32_t> largest_pmtus(const runtime::DpdkRuntime& dpdk) {
  std::vector<std::uint32_t> all;
  for (const runtime::RunPort& p : dpdk.ports()) all.push_back(p.port->largest_path_mtu(false));
  return all;
}

void hold(Web& web, bool quiet) {
  if (!quiet && web.serves()) fmt::print(stderr, "the live page stays until Ctrl-C\n");
  web.hold();
}

int stopped_early() {
  fmt::print(stderr, "softfeb: stopped by a signal before traffic began\n");
  return kCheckFailed;
}

}  // namespace softfeb::experiment
