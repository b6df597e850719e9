// SPDX-License-Identifier: BSD-3-Clause
// Selects the next sender, packet by packet (doc/engine.md).
//
// The full path performs all steps for a queue pair: post messages that are due, send, count completions,
// post again, check whether it has finished, update its timer, and reschedule it. Most packets are in the
// middle of a message, where the results of nearly all these steps are known in advance. Such packets form a
// run (SendQp::begin_run), and the fast path skips the steps. The result is the same:
//
// - Nothing is posted before or after the packet: may_go_on() returns false when a message is due, and a
//   packet that is not the last of its request does not make room for another request.
// - No request completes. Requests complete on responses, which reschedule the queue pair, or when the last
//   packet of a UC request is sent. That packet is never part of a run.
// - finished() stays false: the request is in progress before and after the packet.
// - The packet does not change the requester's timer, because it does not request an acknowledgement. The
//   timer of congestion control may change and is checked.
// - A queue pair in the ready queue is not in the departure wheel, so nothing has to be cancelled.
//
// Rescheduling is also skipped after the last packet of a message if the next message may start immediately
// (SendQp::may_follow). may_follow() counts completions and posts the messages that are due. The queue pair
// keeps its position in the ready queue.
//
// If very many queue pairs are ready, a queue pair sends up to 4 or 16 packets in succession (its quantum,
// long_quantum_), provided that it may send them immediately. These packets then share the cost of fetching
// the queue pair into the cache. Even so, no packet leaves before its departure time.
//
// If the ready queue is so long that a queue pair would be due before it reached the front, the queue pair
// does not wait in the departure wheel, but joins the ready queue right away (due_behind). At the front of
// the queue, its departure time is checked like any other.
//
// The following always use the full path: queue pairs that share a rate, because other queue pairs wait for
// their turn to use this rate; queue pairs whose congestion control chooses rank, priority or credit, which
// may change with every packet; queue pairs of the metadata bus, of boards with event data and of traffic
// generators, because their requests come from another source; and boards with per-priority pause.
#include "engine/board.hpp"
#include "engine/send_qp_run.hpp"

namespace softfeb::engine {

namespace {

// While a queue pair is served, the queue pairs behind it in the ready queue are prefetched (doc/engine.md).
// A prefetch whose page is not in the TLB stalls later instructions until the page walk ends. Several page
// walks proceed in parallel, so the first lines of kFetchedTogether queue pairs are prefetched together, at
// least kFirstLinesAhead positions before these queue pairs reach the front of the ready queue.
constexpr std::size_t kFetchedTogether = 8;
constexpr std::size_t kFirstLinesAhead = 16;
// The other cache lines of a queue pair are prefetched in three stages, each at a fixed number of positions
// from the front of the ready queue. The first stage prefetches the lines that every packet uses
// (kRunLinesAhead), the second stage the lines that only packets on the full path use (kOtherLinesAhead). The
// third stage prefetches the send queue (kQueueAhead), whose address is in a line of an earlier stage.
constexpr std::size_t kRunLinesAhead = 12;
constexpr std::size_t kOtherLinesAhead = 7;
constexpr std::size_t kQueueAhead = 3;

}  // namespace

/// Counts a packet that the first queue pair has sent in its quantum. Returns true if the queue pair may send
/// another packet in the same quantum; this packet must be due immediately. Otherwise, ends the quantum and
/// returns false.
inline bool Board::quantum_goes_on() {
  if (ready_.size() > kFewQps && ++quantum_sent_ < long_quantum_) return true;
  quantum_sent_ = 0;
  return false;
}

/// Fast path for `qp`, the first in the ready queue, with index `i`. `qp` stays in the queue or is removed.
[[gnu::always_inline]] inline Board::Sent Board::send_of_run(std::uint32_t i, SendQp& qp, Time now,
                                                             TxFrame& out) {
  const Time timer = qp.congestion_timer();
  Time next = kNever;
  if (!qp.craft_of_run(now, identification_, out, next)) {
    end_quantum();
    reschedule(i, now);
    return Sent::kNothing;
  }
  if (qp.congestion_timer() != timer) watch_timer(i, now);
  if (next <= now) {
    if (!quantum_goes_on()) ready_.rotate();
    return Sent::kPacket;
  }
  used_wheel_ = !due_behind(ready_.size() - 1, next, now);
  if (!used_wheel_) {
    quantum_sent_ = 0;
    ready_.rotate();
    return Sent::kPacket;
  }
  end_quantum();
  if (next != kNever) {
    departures_.schedule(i, next);
  } else {
    reschedule(i, now);  // kNever: the QP's congestion control has failed
  }
  return Sent::kPacket;
}

/// Full path for `qp`, the first in the ready queue, with index `i`. Returns kOfRun if the next packet is
/// part of a run (see SendQp::begin_run()). In this case, nothing was sent, `qp` keeps its position, and the
/// caller continues with send_of_run().
Board::Sent Board::send_next(std::uint32_t i, SendQp& qp, Time now, TxFrame& out) {
  shared_.answered(i);
  qp.post_due(now);
  const bool alike = may_run(i);
  const bool may_send = alike ? qp.may_send(now) : departure(i, now) <= now && qp.requester().ready(now);
  if (may_send && alike && qp.begin_run()) return Sent::kOfRun;
  Time next = kNever;
  const bool sent = may_send && qp.craft(now, identification_, out, next);
  if (events_ && sent) out.transient_payload = events_->reuses(out.payload);
  const bool goes_on = sent && own_rate(i) && quantum_goes_on();
  ready_.pop();
  if (sent && alike && (qp.begin_run() || qp.may_follow(next, now))) {
    // The QP begins a run or its next message. Only its timer and its position in the schedule can have
    // changed, so a full reschedule() is not needed.
    watch_timer(i, now);
    if (next <= now || due_behind(ready_.size(), next, now)) {
      ready_.push(i);
    } else {
      schedule(i, next, now);
    }
  } else {
    reschedule(i, now);
  }
  if (!goes_on || !qp.may_send(now) || !ready_.recall(i)) quantum_sent_ = 0;
  return sent ? Sent::kPacket : Sent::kNothing;
}

void Board::end_quantum() {
  quantum_sent_ = 0;
  ready_.pop();
}

std::size_t Board::send_packets(Time now, std::span<TxFrame> out) {
  if (now < link_open_at()) return 0;
  link_.was_closed_until(link_open_at());
  std::size_t n = 0;
  std::uint64_t bytes = 0;
  // An iteration without a packet (for example, if a QP is in ERR) also counts, which bounds the loop.
  for (std::size_t left = out.size(); left != 0 && !ready_.empty() && link_.open(now); --left) {
    if (many()) fetch_ahead();
    const std::uint32_t i = ready_.front();
    SendQp& qp = qps_[i];
    Sent sent = qp.may_go_on(now) ? Sent::kOfRun : send_next(i, qp, now, out[n]);
    if (sent == Sent::kOfRun) sent = send_of_run(i, qp, now, out[n]);
    if (sent == Sent::kNothing) continue;
    ++identification_;
    const std::uint32_t length = out[n].length();
    link_.sent(length, now);
    bytes += length;
    ++n;
  }
  counters_.tx_bytes += bytes;
  // The link is idle only because no packet is due. A link with a large slack must not catch up on this idle
  // time, because it would then send, in a burst, packets that congestion control has spaced out.
  if (link_.slack() > LinkShaper::kSlack && ready_.empty() && !departures_.empty())
    link_.was_closed_until(now);
  return n;
}

/// Prefetches the data of upcoming iterations, in stages that each depend on the previous one.
void Board::fetch_ahead() {
  if (quantum_sent_ != 0) return;  // the data was prefetched at the start of the quantum
  const std::size_t first = ready_.first_place();
  const std::size_t end = ready_.end_place();
  if (first >= fetch_at_) fetch_first_lines();
  if (ready_.ranked()) fetch_second_best();
  if (const std::size_t at = first + kRunLinesAhead; at < end) {
    const std::uint32_t i = ready_.at_place(at);
    qps_[i].prefetch_run();
    qps_.prefetch_behind(i);
    if (qps_.tracked()) qps_[i].prefetch_tracker_place();
  }
  if (const std::size_t at = first + kOtherLinesAhead; at < end) {
    const std::uint32_t i = ready_.at_place(at);
    const SendQp& qp = qps_[i];
    const bool ends = qp.run_ends_within(long_quantum_);
    if (ends) {
      qp.prefetch_full();
      timers_.prefetch(i);
    } else if (qp.paces_packets()) {
      qp.prefetch_pacer_place();
    }
    if (ends || used_wheel_) departures_.prefetch(i);
  }
  if (const std::size_t at = first + kQueueAhead; at < end) {
    const SendQp& qp = qps_[ready_.at_place(at)];
    if (qp.run_ends_within(long_quantum_)) qp.requester().prefetch_sending();
    if (qp.paces_packets()) qp.prefetch_pacer();
  }
}

void Board::fetch_first_lines() {
  const std::size_t first = ready_.first_place();
  const std::size_t end = std::min(ready_.end_place(), first + kFirstLinesAhead + kFetchedTogether);
  for (fetched_ = std::max(fetched_, first); fetched_ < end; ++fetched_)
    qps_[ready_.at_place(fetched_)].prefetch();
  fetch_at_ = first + kFetchedTogether;
}

/// Prefetches the queue pair with the second lowest rank. This queue pair is usually served next, when the
/// message of the queue pair with the lowest rank ends. Its send queue is prefetched one packet later,
/// because the address of the send queue is stored in the queue pair.
void Board::fetch_second_best() {
  const std::uint32_t i = ready_.second_best();
  if (i == ReadyQueue::kNone) return;
  if (i == std::exchange(fetched_best_, i)) return qps_[i].requester().prefetch_sending();
  qps_[i].prefetch_response();
  qps_.prefetch_behind(i);
  departures_.prefetch(i);
  timers_.prefetch(i);
}

bool Board::may_run(std::uint32_t i) const {
  const bool own_traffic = !events_ && (!generator_ || i >= generator_->qps());
  return fast_path_ && own_traffic && i < first_bus_qp() && !pause_.per_priority() && own_rate(i) &&
         !qps_[i].controls_each_packet();
}

/// Reschedules QP `i` after a response or CNP: immediately, or at the end of the receive burst.
void Board::reschedule_received(std::uint32_t i, Time now) {
  if (!in_burst()) {
    reschedule(i, now);
    return;
  }
  if (qps_[i].reschedule_pending()) return;
  if (received_count_ == received_.size()) finish_burst(now);
  qps_[i].set_reschedule_pending(true);
  received_[received_count_++] = i;
}

void Board::finish_burst(Time now) {
  for (std::size_t k = 0; k < received_count_; ++k) {
    qps_[received_[k]].set_reschedule_pending(false);
    reschedule(received_[k], now);
  }
  received_count_ = 0;
  expected_.clear();
}

}  // namespace softfeb::engine
