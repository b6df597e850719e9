// SPDX-License-Identifier: BSD-3-Clause
// The receiving half of an open connection.
#include "srp/rssi_endpoint.hpp"

#include <utility>

namespace softfeb::srp {

using rssi::RxSegment;
using rssi::RxWindow;

namespace {

RssiKind kind_of(const rssi::Segment& segment) {
  if (segment.has(rssi::kRst)) return RssiKind::kRst;
  if (segment.has(rssi::kNul)) return RssiKind::kNul;
  return segment.bare() ? RssiKind::kAck : RssiKind::kData;
}

}  // namespace

/// Returns the acknowledge number to send. Only accepted segments are acknowledged. The number never
/// decreases, because a Rogue peer would interpret a step back by 1 as a step forward by 255.
std::uint8_t RssiEndpoint::ack_number() const {
  const std::uint8_t next = rssi::ahead(acked_, rx_.next()) < 128 ? rx_.next() : acked_;
  return static_cast<std::uint8_t>(next - 1);
}

std::size_t RssiEndpoint::unacknowledged() const {
  return rssi::ahead(acked_, static_cast<std::uint8_t>(ack_number() + 1));
}

void RssiEndpoint::receive(const rssi::Segment& segment, Time now) {
  if (segment.payload.size() + rssi::kHeaderSize > max_datagram_) {
    ++status_.dropped;
    return note_error("segment longer than negotiated", now);
  }
  heard_at_ = now;
  heard_ = kind_of(segment);
  only_errors_ = false;
  status_.rx_seq = segment.header.sequence;
  status_.rx_ack = segment.header.acknowledge;
  if (segment.has(rssi::kRst)) {
    ++status_.valid;
    return end(RssiClose::kByPeer, answer_reset_, now);
  }
  if (segment.has(rssi::kAck)) on_ack(segment.header, now);
  if (segment.bare()) {
    ++status_.valid;
  } else {
    on_numbered(segment, now);
  }
  settle(now);
}

void RssiEndpoint::on_ack(const rssi::Header& header, Time now) {
  // If the acknowledge number is old, a later segment has overtaken this segment and has already reported a
  // newer state of the peer.
  if (tx_.is_old(header.acknowledge)) return;
  status_.remote_busy = (header.flags & rssi::kBusy) != 0;
  if (tx_.acknowledge(header.acknowledge)) pump(now);
}

void RssiEndpoint::on_numbered(const rssi::Segment& segment, Time now) {
  const std::uint8_t sequence = segment.header.sequence;
  const bool nul = segment.has(rssi::kNul);
  switch (rx_.place(sequence)) {
    case RxWindow::Place::kKnown:  // duplicate: our ACK was lost
      ack_now_ = true;
      ++status_.dropped;
      return;
    case RxWindow::Place::kBeyond:
      ++status_.dropped;
      return;
    case RxWindow::Place::kAhead:
      ++status_.valid;
      return rx_.hold(sequence, nul, segment.payload);
    case RxWindow::Place::kNext:
      ++status_.valid;
      break;
  }
  if (blocked_) {
    rx_.hold(sequence, nul, segment.payload);
    ack_now_ = true;  // the peer may be probing whether we are still BUSY
  } else if (deliver(segment.payload, nul, now)) {
    deliver_held(now);
  } else if (open_) {
    rx_.hold(sequence, nul, segment.payload);
  }
}

/// Passes a segment to the user. Returns false if the user refuses the segment or closes the connection. The
/// segment counts as accepted while the user handles it; a response that is sent from the callback therefore
/// acknowledges the segment.
bool RssiEndpoint::deliver(ByteSpan payload, bool nul, Time now) {
  rx_.advance();
  if (nul) {
    ack_now_ = true;
    return true;
  }
  const std::uint64_t connection = status_.reconnects;
  const bool taken = user_.on_segment(payload, now);
  if (!open_ || status_.reconnects != connection) return false;
  if (taken) {
    ++status_.rx_segments;
    status_.rx_bytes += payload.size();
    return true;
  }
  rx_.retreat();
  blocked_ = ack_now_ = true;
  return false;
}

void RssiEndpoint::deliver_held(Time now) {
  while (!blocked_) {
    std::optional<RxSegment> segment = rx_.take_next();
    if (!segment) return;
    if (deliver(segment->payload, segment->nul, now)) continue;
    if (open_) rx_.hold(std::move(*segment));
    return;
  }
}

/// Runs after every event. Reports room to the user. Sends a pending ACK if it is due, or else schedules the
/// ACK.
void RssiEndpoint::settle(Time now) {
  if (open_ && starved_ && tx_.room() > 0) {
    starved_ = false;
    user_.on_room(now);
  }
  if (!open_) return;
  if (ack_now_ || unacknowledged() >= status_.negotiated.max_cumulative_acks) {
    send_ack(now);
  } else if (unacknowledged() > 0 && ack_at_ == kNever) {
    ack_at_ = now + ack_after_;
  }
  status_.tx_last_ack = static_cast<std::uint8_t>(tx_.base() - 1);
  status_.rx_last_seq = static_cast<std::uint8_t>(rx_.next() - 1);
}

}  // namespace softfeb::srp
