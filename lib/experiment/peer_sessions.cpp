// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/peer_sessions.hpp"

#include "runtime/stop_signal.hpp"
#include "runtime/worker_pool.hpp"
#include "service/log.hpp"
#include "stats/goodput.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace softfeb::experiment {

namespace {

/// Number of triggers of the boards in the session, if they send event data; empty if they send other
/// traffic.
std::optional<std::uint64_t> triggers_of(const config::RunConfig& config, const endpoints::Targets& targets,
                                         const endpoints::Targets::Session& session,
                                         const endpoints::EventData& events) {
  const auto& board = config.boards[targets.plans()[session.plans.front()].board].events;
  if (!board) return std::nullopt;
  return events.events(*events.triggers[board->trigger]);
}

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

/// Copies the goodput of a session's queue pairs from rdma-sink's report. Does nothing if rdma-sink did not
/// measure the time itself: for WRITEs without immediate, its report uses the time that softfeb measured. The
/// report contains one rate for all queue pairs, which is divided in proportion to the bytes that each queue
/// pair received.
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
  // The report comes from the network: reject values that cannot be a rate or a number of bytes.
  constexpr double kMostBytes = 1e18;
  if (!qps.is_array() || qps.size() != session.plans.size() || seconds <= 0 || gbps < 0 || all <= 0) return;
  if (gbps * seconds / 8e-9 > kMostBytes) return;
  for (std::size_t k = 0; k < qps.size(); ++k) {
    if (!qps[k].is_object() || !qps[k].contains("payload_bytes")) continue;
    const double part = number(qps[k], "payload_bytes") / all;
    if (part < 0 || part > 1) continue;
    const endpoints::QpPlan& plan = targets.plans()[session.plans[k]];
    o.reported[{plan.board, plan.on_board}] = {seconds, gbps * part};
  }
}

}  // namespace

void connect_sessions(const Setup& setup, runtime::DpdkRuntime& dpdk, endpoints::Targets& targets,
                      const endpoints::Payloads& payloads) {
  if (!targets.needs_sessions()) return;
  endpoints::Endpoints listeners = endpoints::make_listeners(setup.run());
  runtime::WorkerPool pool(setup.run(), dpdk, listeners, setup.network());
  targets.connect(
      payloads,
      [&setup](const std::string& line) {
        if (!setup.quiet) service::notice(line);
      },
      [&dpdk](std::size_t port) { return dpdk.ports()[port].link_text(); },
      [] { return runtime::stop_signals() != 0; });
}

void end_sessions(const config::RunConfig& config, const endpoints::EventData& events,
                  endpoints::Targets& targets, stats::Outcome& o) {
  for (endpoints::Targets::Session& s : targets.sessions()) {
    try {
      peers::PeerResults results = results_of(targets, s, o);
      results.events = triggers_of(config, targets, s, events);
      s.report = s.session->end(results);
      take_goodput(targets, s, o);
    } catch (const peers::PeerError& e) {
      s.error = e.what();
    }
  }
}

}  // namespace softfeb::experiment
