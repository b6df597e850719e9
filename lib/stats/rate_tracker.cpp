// SPDX-License-Identifier: BSD-3-Clause
#include "stats/rate_tracker.hpp"

#include "endpoints/qp_congestion.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace softfeb::stats {
namespace {

constexpr double kSecondsPerNs = 1e-9;

std::uint64_t ns_since(Time origin, Time at) { return at > origin ? (at - origin) / kNanosecond : 0; }

/// Advances `before` to `now` and returns the seconds between them; 0, without advancing, if `now` is not
/// later.
double advance(std::uint64_t& before, std::uint64_t now) {
  if (now <= before) return 0;
  return static_cast<double>(now - std::exchange(before, now)) * kSecondsPerNs;
}

double per_second(std::uint64_t amount, double seconds) {
  return seconds > 0 ? static_cast<double>(amount) / seconds : 0;
}

SendCounts counts_of(const engine::SendQpSnapshot& qp) {
  return {.counted_bytes = qp.counters.counted_bytes,
          .payload_bytes = qp.requester.payload_bytes,
          .retransmitted = qp.requester.retransmitted_packets,
          .cnps = qp.counters.cnp_rx,
          .completed = qp.requester.messages_completed,
          .failed = qp.requester.messages_failed,
          .rnr_naks = qp.requester.rnr_rx,
          .timeouts = qp.requester.timeouts};
}

PortCounts counts_of(const fabric::PortSnapshot& port) {
  return {.wire_bytes = port.tx_wire_bytes,
          .ecn_marked = port.ecn_marked,
          .dropped = port.dropped,
          .pause_tx = port.pause_tx,
          .pause_rx = port.pause_rx,
          .cnp_forged = port.cnp_forged};
}

}  // namespace

std::vector<bool> own_rates(const config::RunConfig& config, const std::vector<endpoints::QpPlan>& plans) {
  std::set<std::tuple<std::size_t, const config::CongestionConfig*, roce::IpAddress>> met;
  std::vector<bool> own;
  for (const endpoints::QpPlan& p : plans) {
    const config::CongestionConfig& d = endpoints::congestion_config_of(config.boards[p.board], *p.config);
    const roce::IpAddress peer =
        d.scope == config::CongestionConfig::Scope::kIpPair ? p.target.ip : roce::IpAddress{};
    own.push_back(d.scope == config::CongestionConfig::Scope::kQp || met.insert({p.board, &d, peer}).second);
  }
  return own;
}

RateTracker::RateTracker(const config::RunConfig& config, const std::vector<endpoints::QpPlan>& plans)
    : RateTracker(DeliveryMap(config, plans), std::vector<std::vector<bool>>(config.boards.size())) {
  const std::vector<bool> own = stats::own_rates(config, plans);
  for (std::size_t i = 0; i < plans.size(); ++i) own_rates_[plans[i].board].push_back(own[i]);
}

RateTracker::RateTracker(DeliveryMap deliveries, std::vector<std::vector<bool>> own_rates)
    : deliveries_(std::move(deliveries)), own_rates_(std::move(own_rates)) {
  interval_.boards.resize(own_rates_.size());
}

const RunInterval& RateTracker::add(const Sample& sample) {
  interval_.at = sample.at;
  interval_.first = std::exchange(first_, false);
  interval_.sum = {.qps = 0};
  interval_.total = {};
  interval_.frames = 0;
  interval_.events.reset();
  interval_.traffic_gens.reset();
  interval_.streams.reset();
  endpoints_.resize(sample.endpoints->size());
  for (std::size_t e = 0; e < endpoints_.size(); ++e) {
    const engine::EndpointSnapshot& now = (*sample.endpoints)[e];
    const double seconds = advance(endpoints_[e].ns, ns_since(sample.origin, now.taken_at));
    if (e < interval_.boards.size()) add_board(e, sample, seconds);
    if (now.events) add_events(e, *now.events, seconds);
    if (now.traffic_gen) add_traffic_gen(e, now, seconds);
    if (now.streams) add_streams(e, *now.streams, seconds);
    if (seconds <= 0) continue;
    const std::uint64_t frames = now.endpoint.tx_frames;
    interval_.frames += per_second(frames - std::exchange(endpoints_[e].frames, frames), seconds);
  }
  if (sample.network != nullptr) add_network(*sample.network, sample.origin);
  if (sample.cpu != nullptr) add_workers(*sample.cpu);
  return interval_;
}

void RateTracker::add_events(std::size_t e, const engine::EventSnapshot& now, double seconds) {
  if (!interval_.events) interval_.events.emplace();
  EventInterval& out = *interval_.events;
  out.built = out.built || e >= interval_.boards.size();
  out.complete += now.complete;
  out.incomplete += now.incomplete;
  out.lost += now.lost;
  if (seconds <= 0) return;
  const engine::EventSnapshot before = std::exchange(endpoints_[e].events, now);
  out.rate += per_second(now.complete - before.complete, seconds);
  out.busy_share = std::max(out.busy_share, std::min(1.0, to_seconds(now.busy - before.busy) / seconds));
}

void RateTracker::add_traffic_gen(std::size_t e, const engine::EndpointSnapshot& now, double seconds) {
  if (!interval_.traffic_gens) interval_.traffic_gens.emplace();
  TrafficGenInterval& out = *interval_.traffic_gens;
  ++out.generators;
  if (now.traffic_gen_running) ++out.running;
  if (seconds <= 0) return;
  const engine::TrafficGenCounters& c = *now.traffic_gen;
  const engine::TrafficGenCounters before = std::exchange(endpoints_[e].traffic_gen, c);
  out.packets += per_second(c.datagrams + c.writes - before.datagrams - before.writes, seconds);
  out.payload +=
      per_second(c.datagram_bytes + c.write_bytes - before.datagram_bytes - before.write_bytes, seconds);
}

void RateTracker::add_streams(std::size_t e, const detector::StreamCounts& now, double seconds) {
  using detector::StreamVerdict;
  if (!interval_.streams) interval_.streams.emplace();
  StreamInterval& out = *interval_.streams;
  out.dropped += now[StreamVerdict::kNoBuffer] + now[StreamVerdict::kTooLong];
  if (seconds <= 0) return;
  const detector::StreamCounts before = std::exchange(endpoints_[e].streams, now);
  out.datagrams += per_second(now[StreamVerdict::kAppended] - before[StreamVerdict::kAppended], seconds);
  out.bytes += per_second(now.bytes - before.bytes, seconds);
}

/// Computes how each worker spent the interval. If a worker was preempted during the whole interval, all its
/// shares are 0.
void RateTracker::add_workers(const std::vector<dataplane::CpuTimes>& now) {
  interval_.workers.assign(now.size(), {});
  workers_.resize(now.size());
  for (std::size_t w = 0; w < now.size(); ++w) {
    const dataplane::CpuTimes before = std::exchange(workers_[w], now[w]);
    WorkerInterval& out = interval_.workers[w];
    out.idle = now[w].idle - before.idle;
    double sum = out.idle;
    for (std::size_t i = 0; i < out.stages.size(); ++i) {
      out.stages[i] = now[w].stages[i] - before.stages[i];
      sum += out.stages[i];
    }
    if (sum <= 0) continue;
    out.idle /= sum;
    for (double& stage : out.stages) stage /= sum;
  }
}

void RateTracker::add_board(std::size_t b, const Sample& sample, double seconds) {
  const std::vector<engine::SendQpSnapshot>& qps = (*sample.endpoints)[b].send_qps;
  const std::vector<bool>& own = own_rates_[b];
  BoardInterval& board = interval_.boards[b];
  board.at = static_cast<double>(endpoints_[b].ns) * kSecondsPerNs;
  board.seconds = seconds;
  board.configured = {.qps = 0};
  board.all = {.qps = 0};
  board.total = {};
  board.qps.resize(qps.size());
  endpoints_[b].qps.resize(qps.size());
  for (std::size_t i = 0; i < qps.size(); ++i) {
    add_qp(b, i, sample, seconds);
    board.total += counts_of(qps[i]);
    // The QPs of the metadata bus follow those of the configuration and never share a congestion control.
    const bool configured = i < own.size();
    board.all.add(board.qps[i], !configured || own[i]);
    if (configured) board.configured.add(board.qps[i], own[i]);
  }
  interval_.sum.add(board.all);
  interval_.total += board.total;
}

void RateTracker::add_qp(std::size_t b, std::size_t qp, const Sample& sample, double seconds) {
  const engine::SendQpSnapshot& now = (*sample.endpoints)[b].send_qps[qp];
  const Delivered delivered = deliveries_.delivered(b, qp, *sample.endpoints);
  QpBefore& before = endpoints_[b].qps[qp];
  SendInterval out;
  out.control = control_of(now);
  if (seconds > 0) {
    out.counts = counts_of(now) - before.counts;
    out.sent = per_second(out.counts.counted_bytes, seconds);
    out.payload = per_second(out.counts.payload_bytes, seconds);
    out.goodput = delivered_rate(before.delivered, delivered, seconds, sample.origin);
    before = {counts_of(now), delivered};
  } else if (!delivered.known) {
    out.goodput.reset();
  }
  out.carried = now.uc ? out.goodput : out.payload;
  interval_.boards[b].qps[qp] = out;
}

void RateTracker::add_network(const fabric::NetworkSnapshot& network, Time origin) {
  interval_.network_seconds = advance(network_ns_, ns_since(origin, network.taken_at));
  interval_.network_at = static_cast<double>(network_ns_) * kSecondsPerNs;
  interval_.ports_total = {};
  interval_.ports.resize(network.ports.size());
  ports_.resize(network.ports.size());
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    add_port(p, network.ports[p], interval_.network_seconds);
    interval_.ports_total += interval_.ports[p].total;
  }
}

void RateTracker::add_port(std::size_t p, const fabric::PortSnapshot& now, double seconds) {
  PortBefore& before = ports_[p];
  PortInterval out;
  out.queue = now.queue_bytes;
  out.peak = std::max(before.peak, now.queue_bytes_peak);
  out.longest = now.queue_bytes_max;
  out.total = counts_of(now);
  if (seconds > 0) {
    out.counts = out.total - before.counts;
    out.sent = per_second(out.counts.wire_bytes, seconds);
    out.used = now.rate == 0 ? 0 : out.sent / static_cast<double>(now.rate);
    out.paused_share = to_seconds(now.paused - before.paused) / seconds;
    before = {out.total, now.paused, 0};
  } else {
    before.peak = out.peak;
  }
  interval_.ports[p] = out;
}

}  // namespace softfeb::stats
