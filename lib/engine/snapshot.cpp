// SPDX-License-Identifier: BSD-3-Clause
#include "engine/snapshot.hpp"

#include <algorithm>
#include <numeric>

namespace softfeb::engine {

namespace {

SendQpSnapshot copy(const Board& board, std::size_t i, Time now) {
  const SendQp& qp = board.qp(i);
  SendQpSnapshot s;
  s.on_bus = i >= board.first_bus_qp();
  s.exists = board.qp_exists(i);
  const roce::RequesterConfig config = qp.requester().config();
  s.qpn = config.qpn;
  s.dest_qpn = config.dest_qpn;
  s.requester = board.totals(i);
  s.counters = qp.counters();
  // Requests that do not come from the QP's traffic may differ in length.
  const bool posted = s.on_bus || board.events() != nullptr ||
                      (board.traffic_gen() != nullptr && i < board.traffic_gen()->qps());
  s.completed_payload_bytes = posted ? s.counters.completed_bytes : qp.completed_payload_bytes();
  s.uc = config.transport == roce::Transport::kUc;
  if (s.on_bus) {
    const MetadataQps::History& history = board.metadata_qps().history(i);
    s.uc = history.uc;
    s.first_completed = history.first_completed;
    s.first_completed_bytes = history.first_completed_bytes;
  }
  s.messages_made = qp.messages_made();
  s.pacing_given_up = qp.given_up();
  s.failure = qp.failure();
  if (qp.congestion() != nullptr) s.congestion = qp.congestion()->state(now);
  s.resolved = qp.resolved();
  return s;
}

ReceiveQpSnapshot copy(const Receiver& receiver, std::size_t i) {
  const roce::ReceiveQp& qp = receiver.qp(i);
  const std::uint64_t compared = qp.payload_check() ? qp.payload_check()->checked() : 0;
  return {receiver.responder_counters(i),
          compared + qp.continuity().checked(),
          qp.bytes_wrong(),
          qp.congestion_experienced(),
          qp.map().missing(),
          receiver.last_uc_message(i),
          qp.responder().bytes_in_progress(),
          qp.config().responder.pmtu};
}

EventSnapshot copy(const EventSender& events, Time now) {
  const detector::FragmentFifoCounts& c = events.fifo().counts();
  return {.sent = c.completed, .lost = c.lost, .busy = events.busy_time(now)};
}

EventSnapshot copy(const EventReceiver& events) {
  using detector::EventStatus;
  const detector::EventBuilderCounts& c = events.builder().counts();
  const std::uint64_t closed = std::accumulate(c.by_status.begin(), c.by_status.end(), std::uint64_t{0});
  const std::uint64_t complete = c[EventStatus::kComplete];
  return {.complete = complete, .incomplete = closed - complete};
}

}  // namespace

void Board::prepare(EndpointSnapshot& out) const { out.send_qps.resize(qp_count()); }

void Board::copy_statistics(EndpointSnapshot& out, std::size_t first, std::size_t last, Time now) const {
  for (std::size_t i = first; i < last; ++i) out.send_qps[i] = copy(*this, i, now);
  if (last < qp_count()) return;
  out.unresolved = unresolved();
  out.resolution_took = resolution_took();
  out.finished = finished();
  if (events_) out.events = copy(*events_, now);
  if (generator_) {
    out.traffic_gen = generator_->counters();
    out.traffic_gen_running = generator_->live().busy;
  }
}

void Receiver::prepare(EndpointSnapshot& out) const { out.receive_qps.resize(qp_count()); }

void Receiver::copy_statistics(EndpointSnapshot& out, std::size_t first, std::size_t last,
                               Time /*now*/) const {
  if (first == 0) out.bytes_in_progress = 0;
  for (std::size_t i = first; i < last; ++i) {
    out.receive_qps[i] = copy(*this, i);
    if (windows_) out.bytes_in_progress += qps_[i].qp.responder().bytes_in_progress();
  }
  if (last < qp_count()) return;
  if (windows_) out.windows = windows_->counters();
  if (events_) out.events = copy(*events_);
  if (streams_) out.streams = streams_->buffers().counts();
  out.transfers_notified = notified_.count;
  out.cnp_tx = receiver_counters_.cnp_tx;
  out.replies_dropped = receiver_counters_.replies_dropped;
  out.grants = granter_.has_value();
  out.grant_tx = receiver_counters_.grant_tx;
  out.resend_tx = receiver_counters_.resend_tx;
  out.busy_rx = receiver_counters_.busy_rx;
}

EndpointSnapshot make_snapshot(const Endpoint& endpoint) {
  EndpointSnapshot s;
  endpoint.prepare(s);
  return s;
}

std::size_t take_snapshot(const Endpoint& endpoint, EndpointSnapshot& out, std::size_t first,
                          std::size_t limit, Time now) {
  const std::size_t count = endpoint.qp_count();
  const std::size_t last = std::min(first + limit, count);
  endpoint.copy_statistics(out, first, last, now);
  if (last < count) return last;
  out.taken_at = now;
  out.endpoint = endpoint.counters();
  out.host = endpoint.host().counters();
  out.paused = endpoint.pause().total(now);
  return last;
}

}  // namespace softfeb::engine
