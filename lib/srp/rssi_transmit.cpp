// SPDX-License-Identifier: BSD-3-Clause
// The sending half of an open connection.
#include "srp/rssi_endpoint.hpp"

#include <algorithm>

namespace softfeb::srp {

using rssi::TxSegment;

std::uint8_t RssiEndpoint::common_flags() const {
  return static_cast<std::uint8_t>(rssi::kAck | (blocked_ ? rssi::kBusy : 0));
}

/// Call after a segment was sent. Every sent segment carries the current acknowledge number, so a pending ACK
/// is no longer needed. Schedules a further ACK if BUSY, or the end of BUSY, must be announced again.
void RssiEndpoint::note_sent(Time now) {
  sent_at_ = now;
  acked_ = static_cast<std::uint8_t>(ack_number() + 1);
  ack_now_ = false;
  status_.local_busy = blocked_;
  const bool again = blocked_ || clear_repeats_ > 0;
  if (!blocked_ && clear_repeats_ > 0) --clear_repeats_;
  ack_at_ = again ? now + ack_after_ : kNever;
}

void RssiEndpoint::send_bare(std::uint8_t sequence, Time now) {
  std::array<std::uint8_t, rssi::kHeaderSize> ack;
  rssi::encode({common_flags(), sequence, ack_number()}, ack.data());
  put(status_.peer, ack);
  note_sent(now);
}

void RssiEndpoint::transmit(std::size_t i, Time now) {
  TxSegment& s = tx_.flying(i);
  const auto flags = static_cast<std::uint8_t>(common_flags() | (s.nul ? rssi::kNul : 0));
  rssi::encode({flags, tx_.sequence(i), ack_number()}, s.bytes.data());
  if (fault_ && !s.nul) {
    s.bytes[rssi::kHeaderSize - 1] ^= 0xff;
    fault_ = false;
  }
  put(status_.peer, s.bytes);
  s.sent_at = now;
  ++s.transmissions;
  note_sent(now);
}

void RssiEndpoint::pump(Time now) {
  while (const TxSegment* s = tx_.next()) {
    if (!s->nul) {
      ++status_.tx_segments;
      status_.tx_bytes += s->bytes.size() - rssi::kHeaderSize;
    }
    transmit(tx_.in_flight() - 1, now);
  }
}

/// Retransmits each overdue segment individually, in order. While the peer is BUSY, missing ACKs do not
/// indicate loss, so nothing is retransmitted.
void RssiEndpoint::retransmit(Time now) {
  if (status_.remote_busy) return;
  for (std::size_t i = 0; i < tx_.in_flight(); ++i) {
    const TxSegment& s = tx_.flying(i);
    if (now < s.sent_at + retransmit_after_) continue;
    if (s.transmissions >= max_transmissions_) return end(RssiClose::kRetransmit, true, now);
    ++status_.retransmitted;
    transmit(i, now);
  }
}

Time RssiEndpoint::retransmit_deadline() const {
  Time first = kNever;
  if (status_.remote_busy) return first;
  for (std::size_t i = 0; i < tx_.in_flight(); ++i) first = std::min(first, tx_.flying(i).sent_at);
  return saturating_add(first, retransmit_after_);
}

/// Sends a NUL, which the peer acknowledges. If the window is full, either the peer is BUSY, or the segment
/// that announced the end of BUSY was lost. In both cases the peer answers a repeated segment, so the oldest
/// segment in flight is sent again.
void RssiEndpoint::keep_alive(Time now) {
  if (tx_.push_nul()) return pump(now);
  transmit(0, now);
  --tx_.flying(0).transmissions;
}

void RssiEndpoint::provoke(Time now) {
  if (tx_.in_flight() == 0 && tx_.push_nul()) pump(now);
}

}  // namespace softfeb::srp
