// SPDX-License-Identifier: BSD-3-Clause
#include "stats/goodput.hpp"

#include "stats/window_loss.hpp"

#include <algorithm>

namespace softfeb::stats {

namespace {

double gbps(std::uint64_t bytes, double seconds) {
  return seconds > 0 ? static_cast<double>(bytes) * 8e-9 / seconds : 0;
}

double seconds_between(Time from, Time to) { return from != kNever && to > from ? to_seconds(to - from) : 0; }

/// Snapshots of a QP at the beginning and end of the measured time. Without a warm-up, all counters of
/// `begin` are 0.
struct Ends {
  engine::SendQpSnapshot begin, end;
  Time from = kNever;  ///< the sender's first packet or the end of the warm-up, whichever is later
};

Ends ends_of(std::size_t board, std::size_t qp, const Outcome& o) {
  Ends e;
  e.end = o.final[board].send_qps[qp];
  e.from = e.end.counters.first_sent;
  if (o.baseline.empty()) return e;
  e.begin = o.baseline[board].send_qps[qp];
  // A board may start after the warm-up.
  if (e.from != kNever) e.from = std::max(e.from, o.baseline[board].taken_at);
  return e;
}

void set(QpRates& f, std::uint64_t bytes) {
  f.seconds = seconds_between(f.from, f.to);
  f.payload_bytes = bytes;
  f.goodput_gbps = gbps(bytes, f.seconds);
}

/// Sets the goodput of an RC QP from the sender's completions. Payload that was sent before the measured
/// time, but whose message completed in the measured time, does not count, so that the goodput never exceeds
/// the rate on the wire.
void set_completed(QpRates& f, const Ends& e) {
  const std::uint64_t under_way = e.begin.requester.payload_bytes -
                                  std::min(e.begin.requester.payload_bytes, e.begin.completed_payload_bytes);
  std::uint64_t bytes = e.end.completed_payload_bytes - e.begin.completed_payload_bytes;
  f.from = e.from;
  f.to = e.end.counters.last_completed;
  // A QP of the metadata bus is measured from its first completion, because the time at which its burst was
  // requested is not known.
  const bool from_first = e.end.on_bus && e.begin.requester.messages_completed == 0 &&
                          e.end.first_completed != kNever && e.end.first_completed < f.to;
  if (from_first) {
    f.from = e.end.first_completed;
    return set(f, bytes - e.end.first_completed_bytes);
  }
  set(f, bytes - std::min(bytes, under_way));
}

/// Sets the goodput of a UC QP from the counters of a receiver in this process. The part of a message that
/// arrived before the measured time does not count.
void set_received(QpRates& f, const Ends& e, const stats::DeliveryMap::Place& place, const Outcome& o) {
  const engine::ReceiveQpSnapshot& end = o.final[place.endpoint].receive_qps[place.qp];
  engine::ReceiveQpSnapshot begin;
  f.from = e.end.counters.first_sent;
  if (!o.baseline.empty()) {
    const engine::EndpointSnapshot& receiver = o.baseline[place.endpoint];
    begin = receiver.receive_qps[place.qp];
    if (f.from != kNever) f.from = std::max(f.from, receiver.taken_at);
  }
  f.to = std::max(end.last_uc_message, e.end.counters.last_completed);
  if (seconds_between(f.from, f.to) == 0) return set(f, 0);
  std::uint64_t bytes = end.responder.completed_bytes - begin.responder.completed_bytes;
  bytes -= std::min<std::uint64_t>(bytes, begin.bytes_in_progress);
  if (!o.baseline.empty()) {
    f.receiver = place.endpoint;
    f.bytes_on_link = std::min<std::uint64_t>(bytes, end.pmtu);
  }
  set(f, bytes);
}

/// Sets the goodput of a UC QP from the report of a remote receiver. The goodput is unknown if there is no
/// report. After a warm-up, it is also unknown, because a remote receiver's report includes the warm-up.
void set_reported(QpRates& f, const Ends& e, const ReportedGoodput* reported, const Outcome& o) {
  f.from = e.from;
  f.to = e.end.counters.last_completed;
  f.seconds = seconds_between(f.from, f.to);
  f.payload_bytes.reset();
  f.goodput_gbps.reset();
  if (reported == nullptr || !o.baseline.empty()) return;
  f.reported = true;
  f.seconds = reported->seconds;
  f.payload_bytes = static_cast<std::uint64_t>(reported->gbps * reported->seconds / 8e-9 + 0.5);
  f.goodput_gbps = gbps(*f.payload_bytes, f.seconds);
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
    case config::Rate::Unit::kPeriod:
      return t.rate.messages_per_second() * t.message_size * 8e-9;
    case config::Rate::Unit::kUnlimited:
      break;
  }
  return std::nullopt;
}

QpRates rates_of(std::size_t board, std::size_t qp, const Outcome& o) {
  const Ends e = ends_of(board, qp, o);
  QpRates f;
  if (!e.end.uc) {
    set_completed(f, e);
  } else if (const auto place = o.deliveries.place_of(board, qp)) {
    set_received(f, e, *place, o);
  } else {
    const auto found = o.reported.find({board, qp});
    set_reported(f, e, found == o.reported.end() ? nullptr : &found->second, o);
  }
  f.tx_payload_gbps = gbps(e.end.requester.payload_bytes - e.begin.requester.payload_bytes,
                           seconds_between(e.from, e.end.counters.last_completed));
  return f;
}

QpRates rates_of(const endpoints::QpPlan& plan, const Outcome& o) {
  QpRates f = rates_of(plan.board, plan.on_board, o);
  f.offered_gbps = offered_gbps(*plan.config);
  const Ends e = ends_of(plan.board, plan.on_board, o);
  const bool measured = seconds_between(e.from, e.end.counters.last_completed) > 0;
  if (f.offered_gbps && *f.offered_gbps > 0 && measured)
    f.rate_error = f.tx_payload_gbps / *f.offered_gbps - 1;
  return f;
}

std::optional<double> stream_goodput_gbps(const Outcome& o, std::size_t boards, std::size_t receiver) {
  const auto& end = o.final[boards + receiver].streams;
  if (!end || end->last <= o.measured_from) return std::nullopt;
  const bool warmed_up = !o.baseline.empty() && o.baseline[boards + receiver].streams;
  const std::uint64_t before = warmed_up ? o.baseline[boards + receiver].streams->bytes : 0;
  return gbps(end->bytes - before, seconds_between(o.measured_from, end->last));
}

void GoodputTotal::add(const QpRates& qp) {
  if (qp.reported || !qp.payload_bytes) return add(qp.goodput_gbps);
  bytes_ += *qp.payload_bytes;
  if (qp.receiver) {
    std::uint64_t& most = on_link_[*qp.receiver];
    most = std::max(most, qp.bytes_on_link);
  }
  if (qp.to <= qp.from) return;
  from_ = std::min(from_, qp.from);
  to_ = std::max(to_, qp.to);
}

void GoodputTotal::add(const std::optional<double>& gbps) {
  known_ = known_ && gbps.has_value();
  measured_gbps_ += gbps.value_or(0);
}

std::optional<double> GoodputTotal::gbps() const {
  if (!known_) return std::nullopt;
  std::uint64_t bytes = bytes_;
  for (const auto& [receiver, on_link] : on_link_) bytes -= on_link;
  return measured_gbps_ + stats::gbps(bytes, seconds_between(from_, to_));
}

namespace {

/// Index of the receiver of this process to which a QP sends; empty for a receiver in another process.
std::optional<std::size_t> receiver_of(const config::RunConfig& config, const Outcome& o, std::size_t board,
                                       std::size_t qp) {
  const auto place = o.deliveries.place_of(board, qp);
  return place ? std::optional(place->endpoint - config.boards.size()) : std::nullopt;
}

/// Total of the QPs for which `wanted(receiver)` is true.
template <class Wanted>
GoodputTotal total_of(const config::RunConfig& config, const Outcome& o, const Wanted& wanted) {
  GoodputTotal total;
  for (std::size_t b = 0; b < config.boards.size(); ++b) {
    for (std::size_t i = 0; i < o.final[b].send_qps.size(); ++i)
      if (wanted(receiver_of(config, o, b, i))) total.add(rates_of(b, i, o));
  }
  return total;
}

}  // namespace

std::optional<double> receiver_goodput_gbps(const config::RunConfig& config, const Outcome& o,
                                            std::size_t receiver) {
  if (config.receivers[receiver].windows) return window_goodput_gbps(o, config.boards.size(), receiver);
  return total_of(config, o, [receiver](const auto& r) { return r == receiver; }).gbps();
}

std::optional<double> total_goodput_gbps(const config::RunConfig& config, const Outcome& o) {
  GoodputTotal total =
      total_of(config, o, [&](const auto& r) { return !r || !config.receivers[*r].windows; });
  for (std::size_t r = 0; r < config.receivers.size(); ++r) {
    if (config.receivers[r].windows) total.add(window_goodput_gbps(o, config.boards.size(), r));
    if (config.receivers[r].streams)
      total.add(std::optional(stream_goodput_gbps(o, config.boards.size(), r).value_or(0)));
  }
  return total.gbps();
}

double measured_seconds(const endpoints::Plans& plans, const Outcome& o) {
  Time from = plans.all().empty() ? kNever : o.measured_from;
  Time to = o.measured_from;
  for (std::size_t b = 0; b < o.final.size(); ++b) {
    for (std::size_t i = 0; i < o.final[b].send_qps.size(); ++i) {
      const QpRates f = rates_of(b, i, o);
      to = std::max({to, f.to, o.final[b].send_qps[i].counters.last_completed});
      if (plans.all().empty() && f.to > f.from) from = std::min(from, f.from);
    }
  }
  return seconds_between(from, to);
}

void add_rates(nlohmann::ordered_json& qp, const QpRates& f) {
  using Value = nlohmann::ordered_json;
  qp["goodput_gbps"] = f.goodput_gbps ? Value(*f.goodput_gbps) : Value(nullptr);
  qp["tx_payload_gbps"] = f.tx_payload_gbps;
  qp["measured_s"] = f.seconds;
  qp["measured_payload_bytes"] = f.payload_bytes ? Value(*f.payload_bytes) : Value(nullptr);
}

double preempted_share(const Outcome& o) {
  double most = 0;
  for (const auto& w : o.workers) {
    if (w.loop.ran == 0) continue;
    most = std::max(most, static_cast<double>(w.loop.preempted) / static_cast<double>(w.loop.ran));
  }
  return most;
}

}  // namespace softfeb::stats
