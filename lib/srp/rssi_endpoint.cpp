// SPDX-License-Identifier: BSD-3-Clause
// Start and end of a connection, its timers, and the functions that its user calls.
#include "srp/rssi_endpoint.hpp"

#include <algorithm>

namespace softfeb::srp {

void RssiEndpoint::begin(const Opening& opening, Time now) {
  const RssiParameters& p = opening.parameters;
  status_.state = RssiState::kOpen;
  status_.negotiated = p;
  status_.peer = opening.peer;
  status_.local_busy = status_.remote_busy = false;
  ++status_.reconnects;
  tx_.start(opening.tx_first, p.max_outstanding, tx_queue_);
  rx_.start(opening.rx_first, p.max_outstanding);
  retransmit_after_ = p.retransmit_ms * kMillisecond;
  ack_after_ = p.cumulative_ack_ms * kMillisecond;
  max_transmissions_ = std::max<std::uint64_t>(p.max_retransmissions, opening.try_for / retransmit_after_);
  idle_limit_ = opening.idle_limit;
  keep_alive_after_ = opening.keep_alive_after;
  max_datagram_ = opening.max_datagram;
  answer_reset_ = opening.answer_reset;
  opened_at_ = heard_at_ = sent_at_ = now;
  heard_ = RssiKind::kSyn;
  retransmitted_before_ = status_.retransmitted;
  errors_ = 0;
  only_errors_ = false;
  last_error_ = nullptr;
  ack_at_ = kNever;
  ack_now_ = blocked_ = starved_ = false;
  clear_repeats_ = 0;
  acked_ = opening.rx_first;
  open_ = true;
  if (opening.greet) send_ack(now);
  user_.on_open(now);
  settle(now);
}

RssiClosed RssiEndpoint::record(RssiClose why, Time now, const UdpPeer* by) const {
  RssiClosed r;
  r.why = why;
  r.peer = status_.peer;
  r.opened_at = opened_at_;
  r.closed_at = now;
  r.heard = heard_;
  r.heard_at = heard_at_;
  r.idle_limit = idle_limit_;
  r.max_transmissions = max_transmissions_;
  r.unacknowledged = tx_.in_flight();
  r.retransmitted = status_.retransmitted - retransmitted_before_;
  r.errors = errors_;
  r.last_error = last_error_;
  r.last_error_at = last_error_at_;
  if (by != nullptr) r.replaced_by = *by;
  return r;
}

void RssiEndpoint::note_error(const char* what, Time now) {
  ++errors_;
  only_errors_ = true;
  last_error_ = what;
  last_error_at_ = now;
}

void RssiEndpoint::end(RssiClose why, bool reset, Time now, const UdpPeer* by) {
  if (!open_) return;
  const RssiClosed closed = record(why, now, by);
  if (reset) {
    std::array<std::uint8_t, rssi::kHeaderSize> rst;
    rssi::encode({rssi::kRst, tx_.next_sequence(), ack_number()}, rst.data());
    put(status_.peer, rst);
  }
  open_ = false;
  tx_.stop();
  rx_.stop();
  ack_at_ = kNever;
  status_.state = RssiState::kClosed;
  status_.local_busy = status_.remote_busy = false;
  on_ended(why, now);
  if (closed_) closed_(closed);
  user_.on_close(why, now);
}

bool RssiEndpoint::send(ByteSpan payload, Time now) {
  if (!open_ || payload.empty() || payload.size() > max_payload()) return false;
  const bool taken = tx_.push(payload);
  if (taken) pump(now);
  if (tx_.room() == 0) starved_ = true;
  return taken;
}

void RssiEndpoint::resume(Time now) {
  if (!open_ || !blocked_) return;
  blocked_ = false;
  deliver_held(now);
  if (!open_) return;
  if (!blocked_) {
    // The peer does not send until it learns that we are no longer BUSY. Announce this several times,
    // because a segment may be lost.
    clear_repeats_ = 3;
    ack_now_ = true;
  }
  settle(now);
}

void RssiEndpoint::run_timers(Time now) {
  if (!open_) return;
  if (now >= saturating_add(heard_at_, idle_limit_))
    return end(only_errors_ ? RssiClose::kProtocol : RssiClose::kTimeout, true, now);
  retransmit(now);
  if (!open_) return;
  if (now >= saturating_add(sent_at_, keep_alive_after_)) keep_alive(now);
  if (now >= ack_at_) send_ack(now);
}

Time RssiEndpoint::connection_deadline() const {
  if (!open_) return kNever;
  return std::min({ack_at_, retransmit_deadline(), saturating_add(heard_at_, idle_limit_),
                   saturating_add(sent_at_, keep_alive_after_)});
}

}  // namespace softfeb::srp
