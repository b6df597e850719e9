// SPDX-License-Identifier: BSD-3-Clause
#include "figures.hpp"

#include <algorithm>

namespace softfeb::app {

namespace {

Time last_completion(const lab::Plans& plans, const Outcome& o) {
  Time last = o.measured_from;
  for (const QpPlan& p : plans.all()) {
    last = std::max(last, o.final[p.board].send_qps[p.on_board].counters.last_completed);
  }
  return last;
}

}  // namespace

std::optional<double> offered_gbps(const config::QpConfig& qp) {
  const config::TrafficConfig& t = qp.traffic;
  const double per_second = static_cast<double>(t.rate.per_second);
  const std::uint64_t packets =
      std::max<std::uint64_t>(1, (std::uint64_t{t.message_size} + qp.pmtu - 1) / qp.pmtu);
  switch (t.rate.unit) {
    case config::Rate::Unit::kPayloadBytes:
      return per_second * 8e-9;
    case config::Rate::Unit::kPackets:
      return per_second * t.message_size / static_cast<double>(packets) * 8e-9;
    case config::Rate::Unit::kMessages:
      return per_second * t.message_size * 8e-9;
    case config::Rate::Unit::kMax:
      break;
  }
  return std::nullopt;
}

QpFigures figures_of(const QpPlan& plan, const Outcome& o) {
  const engine::SendQpSnapshot& end = o.final[plan.board].send_qps[plan.on_board];
  engine::SendQpSnapshot begin;
  Time from = end.counters.first_sent;
  if (!o.baseline.empty()) {
    begin = o.baseline[plan.board].send_qps[plan.on_board];
    if (from != kNever) from = std::max(from, o.baseline[plan.board].taken_at);  // some boards start later
  }
  QpFigures f;
  f.payload_bytes = end.completed_payload_bytes - begin.completed_payload_bytes;
  f.messages = end.requester.messages_completed - begin.requester.messages_completed;
  const Time to = end.counters.last_completed;
  if (from != kNever && to > from) f.seconds = to_seconds(to - from);
  if (f.seconds > 0) f.goodput_gbps = static_cast<double>(f.payload_bytes) * 8e-9 / f.seconds;
  f.offered_gbps = offered_gbps(*plan.config);
  if (f.offered_gbps && *f.offered_gbps > 0 && f.seconds > 0) {
    const double sent =
        static_cast<double>(end.requester.payload_bytes - begin.requester.payload_bytes) * 8e-9;
    f.rate_error = sent / f.seconds / *f.offered_gbps - 1;
  }
  return f;
}

double measured_seconds(const lab::Plans& plans, const Outcome& o) {
  return to_seconds(last_completion(plans, o) - o.measured_from);
}

double stolen_share(const Outcome& o) {
  double most = 0;
  for (const auto& w : o.workers) {
    if (w.loop.ran == 0) continue;
    most = std::max(most, static_cast<double>(w.loop.stolen) / static_cast<double>(w.loop.ran));
  }
  return most;
}

}  // namespace softfeb::app
