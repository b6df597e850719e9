// SPDX-License-Identifier: BSD-3-Clause
#include "engine/snapshot.hpp"

#include <algorithm>

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
  s.completed_payload_bytes = s.on_bus ? s.counters.completed_bytes : qp.completed_payload_bytes();
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
          receiver.last_uc_message(i)};
}

void finish(const Endpoint& endpoint, EndpointSnapshot& out, Time now) {
  out.taken_at = now;
  out.endpoint = endpoint.counters();
  out.host = endpoint.host().counters();
  out.paused = endpoint.pause().total(now);
}

}  // namespace

EndpointSnapshot make_snapshot(const Endpoint& endpoint) {
  EndpointSnapshot s;
  if (const auto* board = dynamic_cast<const Board*>(&endpoint)) s.send_qps.resize(board->qp_count());
  if (const auto* receiver = dynamic_cast<const Receiver*>(&endpoint))
    s.receive_qps.resize(receiver->qp_count());
  return s;
}

std::size_t take_snapshot(const Endpoint& endpoint, EndpointSnapshot& out, std::size_t first,
                          std::size_t limit, Time now) {
  if (const auto* board = dynamic_cast<const Board*>(&endpoint)) {
    const std::size_t end = std::min(first + limit, board->qp_count());
    for (std::size_t i = first; i < end; ++i) out.send_qps[i] = copy(*board, i, now);
    if (end == board->qp_count()) {
      out.unresolved = board->unresolved();
      out.resolution_took = board->resolution_took();
      out.finished = board->finished();
      finish(endpoint, out, now);
    }
    return end;
  }
  const auto& receiver = dynamic_cast<const Receiver&>(endpoint);
  const std::size_t end = std::min(first + limit, receiver.qp_count());
  for (std::size_t i = first; i < end; ++i) out.receive_qps[i] = copy(receiver, i);
  if (end == receiver.qp_count()) {
    out.cnp_tx = receiver.receiver_counters().cnp_tx;
    out.replies_dropped = receiver.receiver_counters().replies_dropped;
    finish(endpoint, out, now);
  }
  return end;
}

}  // namespace softfeb::engine
