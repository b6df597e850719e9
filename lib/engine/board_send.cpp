// SPDX-License-Identifier: BSD-3-Clause
// Who sends next, packet by packet.
//
// A turn in full asks the queue pair for everything: post what is due, send, count completions, post again,
// say whether it has finished, watch its timer, and put it where it belongs. Most turns are in the middle of
// a message, where nearly all of that is known beforehand: those are of a run (SendQp::begin_run), and leave
// it out. That is the same:
//
// * Nothing is posted before or after the packet: may_go_on() knows when a message is due, and a packet that
//   is not the last of its request makes no room for one.
// * Nothing is to be reaped: requests complete on responses, which settle the queue pair, and when a UC
//   request's last packet leaves. This packet is not a last one.
// * finished() stays false: the request is under way before and after the packet.
// * The requester's timer is not touched by a packet that asks for nothing; congestion control's may be.
// * A queue pair that has been in the ready queue is not in the wheel of departures, so that nothing need be
//   cancelled.
//
// Nor is the queue pair settled anew behind the last packet of a message where the next message may leave at
// once (SendQp::may_follow): what became of the one before is counted, what is due posted, and its place is
// known.
//
// Where very many are ready, a turn is of up to four packets, as long as its queue pair may send them at
// once: what it costs to fetch a queue pair is then shared by as many. Nobody leaves before its time for
// that.
//
// Left to the turn in full: queue pairs that share a rate, for others stand in their line, those of the
// metadata bus, whose requests come from elsewhere, and boards with priorities that may be paused.
#include "engine/board.hpp"
#include "engine/send_qp_run.hpp"

namespace softfeb::engine {

namespace {

// Where more than a few are ready.
constexpr unsigned kPacketsOfTurn = 4;
// Queue pairs that have their turn soon are fetched into the cache while others have theirs.
// Asking for a line whose page the TLB does not know holds up what comes behind it, as long as the walk to
// the page takes. Several walks go side by side, so the first line of several queue pairs is asked for at
// once.
constexpr std::size_t kTurnsTogether = 8;
constexpr std::size_t kTurnsAhead = 16;
// Then, turn by turn, the other lines in the same page: those that every packet touches, those of a turn in
// full, and the send queue, of which the page and its place are known only now.
constexpr std::size_t kTurnsToRun = 12;
constexpr std::size_t kTurnsInFull = 7;
constexpr std::size_t kTurnsToQueue = 3;

}  // namespace

/// Whether the first may send another packet in its turn, if at once. Ends the turn otherwise.
inline bool Board::turn_goes_on() {
  if (ready_.size() > kFewQps && ++of_turn_ < kPacketsOfTurn) return true;
  of_turn_ = 0;
  return false;
}

/// `qp` is the first in the ready queue, and stays in it or leaves.
[[gnu::always_inline]] inline Board::Turn Board::take_turn_of_run(SendQp& qp, Time now, TxFrame& out) {
  const std::uint32_t i = ready_.front();
  const Time timer = qp.congestion_timer();
  Time next = kNever;
  if (!qp.craft_of_run(now, identification_, out, next)) {
    end_turn();
    settle(i, now);
    return Turn::kNothing;
  }
  if (qp.congestion_timer() != timer) watch_timer(i, now);
  if (next <= now) {
    if (!turn_goes_on()) ready_.rotate();
    return Turn::kSent;
  }
  end_turn();
  if (next != kNever) departures_.schedule(i, next);
  return Turn::kSent;
}

/// Likewise; but where it is a run's turn, nothing is sent yet and it stays where it is.
Board::Turn Board::take_turn(SendQp& qp, Time now, TxFrame& out) {
  const std::uint32_t i = ready_.front();
  shared_.answered(i);
  qp.post_due(now);
  const bool alike = may_run(i);
  const bool may_send = alike ? qp.may_send(now) : departure(i, now) <= now && qp.requester().ready(now);
  if (may_send && alike && qp.begin_run()) return Turn::kOfRun;
  Time next = kNever;
  const bool sent = may_send && qp.craft(now, identification_, out, next);
  const bool goes_on = sent && own_rate(i) && turn_goes_on();
  ready_.pop();
  if (sent && alike && (qp.begin_run() || qp.may_follow(next, now))) {
    // A run goes on from here, or the next message begins: nothing but a timer may have begun with the
    // packet.
    watch_timer(i, now);
    place(i, next, now);
  } else {
    settle(i, now);
  }
  if (!goes_on || !ready_.recall(i)) of_turn_ = 0;
  return sent ? Turn::kSent : Turn::kNothing;
}

void Board::end_turn() {
  of_turn_ = 0;
  ready_.pop();
}

std::size_t Board::send_packets(Time now, std::span<TxFrame> out) {
  if (now < link_open_at()) return 0;
  link_.was_closed_until(link_open_at());
  std::size_t n = 0;
  std::uint64_t bytes = 0;
  // A turn that gives no packet (a QP in ERR that flushes what is posted) counts as well, so that this ends.
  for (std::size_t turns = out.size(); turns != 0 && !ready_.empty() && link_.open(now); --turns) {
    if (many()) fetch_ahead();
    SendQp& qp = qps_[ready_.front()];
    Turn turn = qp.may_go_on(now) ? Turn::kOfRun : take_turn(qp, now, out[n]);
    if (turn == Turn::kOfRun) turn = take_turn_of_run(qp, now, out[n]);
    if (turn == Turn::kNothing) continue;
    ++identification_;
    const std::uint32_t length = out[n].length();
    link_.sent(length, now);
    bytes += length;
    ++n;
  }
  counters_.tx_bytes += bytes;
  // Where much lateness is made good, time in which the next packets were not due yet must not count as that:
  // what congestion control holds back would gather into a burst.
  if (link_.slack() > LinkShaper::kSlack && ready_.empty() && !departures_.empty())
    link_.was_closed_until(now);
  return n;
}

/// What the turns to come touch, in steps of which each waits for the one before.
void Board::fetch_ahead() {
  if (of_turn_ != 0) return;  // done at its beginning
  const std::size_t first = ready_.first_place();
  const std::size_t end = ready_.end_place();
  if (first >= fetch_at_) fetch_turns_to_come();
  if (const std::size_t at = first + kTurnsToRun; at < end) qps_[ready_.at_place(at)].prefetch_run();
  if (const std::size_t at = first + kTurnsInFull; at < end) {
    const std::uint32_t i = ready_.at_place(at);
    const SendQp& qp = qps_[i];
    const bool ends = !qp.requester().runs_beyond(kPacketsOfTurn);
    if (ends) {
      qp.prefetch_turn();
      timers_.prefetch(i);
    } else if (qp.paces_packets()) {
      qp.prefetch_pacer_place();
    }
    if (ends || qp.paces_packets()) departures_.prefetch(i);
  }
  if (const std::size_t at = first + kTurnsToQueue; at < end) {
    const SendQp& qp = qps_[ready_.at_place(at)];
    if (!qp.requester().runs_beyond(kPacketsOfTurn)) qp.requester().prefetch_sending();
    if (qp.paces_packets()) qp.prefetch_pacer();
  }
}

void Board::fetch_turns_to_come() {
  const std::size_t first = ready_.first_place();
  const std::size_t end = std::min(ready_.end_place(), first + kTurnsAhead + kTurnsTogether);
  for (fetched_ = std::max(fetched_, first); fetched_ < end; ++fetched_)
    qps_[ready_.at_place(fetched_)].prefetch();
  fetch_at_ = first + kTurnsTogether;
}

bool Board::may_run(std::uint32_t i) const {
  return quick_turns_ && i < first_bus_ && !pause_.per_priority() && own_rate(i);
}

/// After a response, or a CNP: at once, or once for all of a burst.
void Board::settle_received(std::uint32_t i, Time now) {
  if (!in_burst()) {
    settle(i, now);
    return;
  }
  if (qps_[i].to_settle()) return;
  if (received_count_ == received_.size()) settle_burst(now);
  qps_[i].set_to_settle(true);
  received_[received_count_++] = i;
}

void Board::settle_burst(Time now) {
  for (std::size_t k = 0; k < received_count_; ++k) {
    qps_[received_[k]].set_to_settle(false);
    settle(received_[k], now);
  }
  received_count_ = 0;
  expected_.clear();
}

}  // namespace softfeb::engine
