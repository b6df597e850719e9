// SPDX-License-Identifier: BSD-3-Clause
// The dispatcher's requests for the queue pairs of the metadata bus, and their completions.
#include "engine/board.hpp"

namespace softfeb::engine {

using roce::QpState;

void Board::act(const board::Dispatch& a, Time now) {
  if (stopped_ || slots_.empty()) return;
  dispatcher_.write(a);
  route_dispatch(now);
}

/// Selects the QP for the dispatcher's requests: the one whose QPN is SQpn; otherwise the one whose peer has
/// this QPN, because the scripts used in the laboratory write that; otherwise the only one.
std::uint32_t Board::choose_bus_qp() const {
  const roce::Qpn wanted = dispatcher_.registers().sqpn;
  std::uint32_t by_peer = kNoQp, only = kNoQp;
  std::size_t count = 0;
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const BusSlot& slot = slots_[k];
    if (!slot.exists()) continue;
    const auto i = static_cast<std::uint32_t>(first_bus_ + k);
    if (slot.context.qpn == wanted) return i;
    if (by_peer == kNoQp && slot.context.dest_qpn == wanted) by_peer = i;
    only = i;
    ++count;
  }
  if (by_peer != kNoQp) return by_peer;
  return count == 1 ? only : kNoQp;
}

void Board::route_dispatch(Time now) {
  dispatch_to_ = choose_bus_qp();
  if (dispatcher_.waiting() == 0) return;
  if (dispatch_to_ == kNoQp) {
    checker_.count(0, dispatcher_.drop());
  } else {
    settle(dispatch_to_, now);
  }
}

/// Posts requests of the dispatcher to QP `i` as far as there is room. Before RTS they wait; in ERR all of
/// them fail at once.
void Board::feed(std::uint32_t i, Time now) {
  if (dispatch_to_ != i || dispatcher_.waiting() == 0) return;
  BusSlot& slot = slot_of(i);
  SendQp& qp = qps_[i];
  const auto sends = [&qp] {
    const QpState s = qp.requester().state();
    return s == QpState::kRts || s == QpState::kSqd;
  };
  while (sends() && dispatcher_.waiting() != 0 && qp.may_post()) {
    roce::WorkRequest w = dispatcher_.next();
    w.id = qp.messages_made();
    w.payload_offset = slot.stream_next;
    slot.stream_next += w.length;
    qp.post(w, now);
  }
  if (qp.requester().state() == QpState::kErr) checker_.count(0, dispatcher_.drop());
}

void Board::check_completions(std::uint32_t i) {
  BusSlot& slot = slot_of(i);
  const roce::RequesterCounters& c = qps_[i].requester().counters();
  BusHistory& history = slot.history;
  if (history.first_completed == kNever && c.messages_completed != slot.ok) {
    const SendQpCounters sent = qps_[i].counters();
    history.first_completed = sent.last_completed;
    history.first_completed_bytes = sent.completed_bytes;
  }
  checker_.count(c.messages_completed - slot.ok, c.messages_failed - slot.failed);
  slot.ok = c.messages_completed;
  slot.failed = c.messages_failed;
}

}  // namespace softfeb::engine
