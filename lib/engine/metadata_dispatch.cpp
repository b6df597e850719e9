// SPDX-License-Identifier: BSD-3-Clause
// Posts the dispatcher's requests to the queue pairs of the metadata bus, and counts their completions.
#include "engine/metadata_qps.hpp"

namespace softfeb::engine {

using roce::QpState;

void MetadataQps::apply(const board::Dispatch& a, Time now) {
  if (stopped_ || slots_.empty()) return;
  dispatcher_.write(a);
  route_requests(now);
}

void MetadataQps::apply(const board::SetCompletionReset& a, Time /*now*/) { checker_.set_reset(a.level); }

void MetadataQps::stop() {
  stopped_ = true;
  dispatcher_.drop();
}

/// Selects the QP for the dispatcher's requests. This is the QP whose own QPN is in the register SQpn. If no
/// QP has this QPN, selects the QP whose peer has this QPN, because the PyRogue scripts for real boards write
/// the peer's QPN. If there is no such QP either, selects the board's only QP. If the board has several QPs
/// or none, returns kNoQp.
std::uint32_t MetadataQps::choose_qp() const {
  const roce::Qpn wanted = dispatcher_.registers().sqpn;
  std::uint32_t by_peer = kNoQp, only = kNoQp;
  std::size_t count = 0;
  for (auto i = static_cast<std::uint32_t>(first_); i < end(); ++i) {
    const Slot& s = slot(i);
    if (!s.exists()) continue;
    if (s.context.qpn == wanted) return i;
    if (by_peer == kNoQp && s.context.dest_qpn == wanted) by_peer = i;
    only = i;
    ++count;
  }
  if (by_peer != kNoQp) return by_peer;
  return count == 1 ? only : kNoQp;
}

void MetadataQps::route_requests(Time now) {
  dispatch_to_ = choose_qp();
  if (dispatcher_.waiting() == 0) return;
  if (dispatch_to_ == kNoQp) {
    checker_.count(0, dispatcher_.drop());
  } else {
    deps_.reschedule(dispatch_to_, now);
  }
}

void MetadataQps::post_requests(std::uint32_t i, Time now) {
  if (dispatch_to_ != i || dispatcher_.waiting() == 0) return;
  Slot& s = slot(i);
  SendQp& qp = deps_.qps[i];
  const auto sends = [&qp] {
    const QpState state = qp.requester().state();
    return state == QpState::kRts || state == QpState::kSqd;
  };
  while (sends() && dispatcher_.waiting() != 0 && qp.may_post()) {
    roce::WorkRequest w = dispatcher_.next();
    w.id = qp.messages_made();
    w.payload_offset = s.stream_next;
    s.stream_next += w.length;
    qp.post(w, now, now);
  }
  if (qp.requester().state() == QpState::kErr) checker_.count(0, dispatcher_.drop());
}

void MetadataQps::count_completions(std::uint32_t i) {
  Slot& s = slot(i);
  const SendQp& qp = deps_.qps[i];
  const roce::RequesterCounters& c = qp.requester().counters();
  if (s.history.first_completed == kNever && c.messages_completed != s.ok) {
    const SendQpCounters sent = qp.counters();
    s.history.first_completed = sent.last_completed;
    s.history.first_completed_bytes = sent.completed_bytes;
  }
  checker_.count(c.messages_completed - s.ok, c.messages_failed - s.failed);
  s.ok = c.messages_completed;
  s.failed = c.messages_failed;
}

}  // namespace softfeb::engine
