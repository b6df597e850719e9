// SPDX-License-Identifier: BSD-3-Clause
#include "roce/requester.hpp"

#include <algorithm>

namespace softfeb::roce {

namespace {

/// Position of a packet in its message.
enum class Place : std::uint8_t { kFirst, kMiddle, kLast, kOnly };

Place place_of(std::uint32_t index, std::uint32_t packets) {
  if (packets == 1) return Place::kOnly;
  if (index == 0) return Place::kFirst;
  return index + 1 == packets ? Place::kLast : Place::kMiddle;
}

Operation operation_of(WrOpcode verb, Place place) {
  const bool write = verb == WrOpcode::kWrite || verb == WrOpcode::kWriteImm;
  const bool immediate = verb == WrOpcode::kWriteImm || verb == WrOpcode::kSendImm;
  switch (place) {
    case Place::kFirst:
      return write ? Operation::kWriteFirst : Operation::kSendFirst;
    case Place::kMiddle:
      return write ? Operation::kWriteMiddle : Operation::kSendMiddle;
    case Place::kLast:
      if (immediate) return write ? Operation::kWriteLastImm : Operation::kSendLastImm;
      return write ? Operation::kWriteLast : Operation::kSendLast;
    case Place::kOnly:
      break;
  }
  if (immediate) return write ? Operation::kWriteOnlyImm : Operation::kSendOnlyImm;
  return write ? Operation::kWriteOnly : Operation::kSendOnly;
}

}  // namespace

/// True if the next packet may be sent although the QP is not in RTS. This is possible only in SQD, where
/// messages in progress continue and packets are retransmitted, but no new message begins.
bool Requester::may_go_on() const {
  return state_ == QpState::kSqd && (next_ != sent_ || next_ != sending().first);
}

/// True if the last packet of the request being sent requests an ACK. In the standard profile, an
/// unsignaled request also requests an ACK if no later packet will do so: at the end of the queue, in SQD,
/// and when the window closes (doc/retransmission.md).
bool Requester::asks_on_last() const {
  const SendSlot& slot = queue_[send_];
  if (next_ != sent_) return slot.last_asks != 0;
  if (firmware()) return slot.signaled != 0;
  return slot.signaled != 0 || shared().sq_sig_all || send_ + 1 == limit_ || state_ == QpState::kSqd ||
         send_ + 1 - done_ >= shared().window_requests;
}

bool Requester::asks(std::uint64_t packet, bool on_last) const {
  if (unreliable()) return false;
  const bool last = packet + 1 == sending().end();
  if (last && on_last) return true;
  if (profile_->always_asks) return true;
  if (((packet + 1) & profile_->ask_mask) == 0) return true;
  return !last && shared().ack_every != 0 && (packet + 1 - sending().first) % shared().ack_every == 0;
}

/// Builds packet `packet` of the request being sent.
RequestPacket Requester::make_packet(std::uint64_t packet, bool on_last) const {
  const Sending& s = sending();
  const auto index = static_cast<std::uint32_t>(packet - s.first);
  const std::uint32_t offset = index << profile_->pmtu_shift;
  const Operation op = operation_of(verb(), place_of(index, s.packets));
  RequestPacket p;
  p.opcode = opcode(shared().transport, op);
  p.ack_req = asks(packet, on_last);
  // SE is set on the packet that generates the receiver's completion (IBA, section 9.2.3). The firmware sets
  // it on every packet.
  p.solicited =
      sending_solicited_ && (firmware() || (ends_message(op) && (is_send(op) || has_immediate(op))));
  p.retransmission = packet < sent_;
  p.psn = psn_of(packet);
  if (has_reth(op) || has_immediate(op)) {
    const WorkRequest r = request(send_);
    if (has_reth(op)) p.reth = Reth{r.remote_address, r.rkey, r.length};
    if (has_immediate(op)) p.immediate = r.immediate;
  }
  p.payload_offset = sending_offset_ + (packet << profile_->pmtu_shift);
  p.payload_length = std::min(s.length - offset, full_payload());
  return p;
}

/// Number of the first packet that does not belong to a run starting at next_. This is the first packet that
/// ends its message, requests an ACK, or is outside the window. If the result is not greater than next_, no
/// run can start.
std::uint64_t Requester::run_end() const {
  const Sending& s = sending();
  if (next_ == s.first || next_ != sent_) return 0;
  std::uint64_t end = s.end() - 1;
  if (unreliable()) return end;
  // In these cases any packet may request an ACK or start the ACK timer, which the packets of a run must not
  // do.
  if (profile_->always_asks || (firmware() && ack_deadline_ == kNever)) return 0;
  end = std::min({end, next_ | profile_->ask_mask, acked_ + profile_->window_packets});
  if (shared().ack_every != 0) {
    const std::uint64_t index = next_ - s.first;
    end = std::min(end, next_ + (shared().ack_every - 1 - index % shared().ack_every));
  }
  return end;
}

bool Requester::begin_run() {
  if (state_ != QpState::kRts || rnr_until_ != 0 || limit_ != tail_ || send_ == limit_ || !reaped())
    return false;
  run_end_ = run_end();
  if (!in_run()) return false;
  took_run_ = true;
  return true;
}

RequestPacket Requester::run_packet() const {
  const bool write = verb() <= WrOpcode::kWriteImm;
  RequestPacket p;
  p.opcode = opcode(shared().transport, write ? Operation::kWriteMiddle : Operation::kSendMiddle);
  p.solicited = sending_solicited_ && firmware();
  p.payload_length = full_payload();
  return p;
}

/// Size of the next packet from BTH to pad. Requires that this packet is the first or last one of its
/// message.
std::uint32_t Requester::edge_transport_bytes(const Sending& s) const {
  const bool write = verb() == WrOpcode::kWrite || verb() == WrOpcode::kWriteImm;
  const bool immediate = verb() == WrOpcode::kWriteImm || verb() == WrOpcode::kSendImm;
  const auto index = static_cast<std::uint32_t>(next_ - s.first);
  const bool last = index + 1 == s.packets;
  const std::uint32_t payload = last ? s.length - (index << profile_->pmtu_shift) : full_payload();
  return static_cast<std::uint32_t>(Bth::kSize + (write && index == 0 ? Reth::kSize : 0) +
                                    (immediate && last ? ImmDt::kSize : 0)) +
         ((payload + 3) & ~3U);
}

RequestPacket Requester::peek() const { return make_packet(next_, asks_on_last()); }

RequestPacket Requester::next(Time now, bool ask) {
  end_run();
  const bool last = next_ + 1 == sending().end();
  bool on_last = false;
  if (last) {
    on_last = asks_on_last();
    queue_[send_].last_asks = on_last;
  }
  RequestPacket p = make_packet(next_, on_last);
  if (ask) p.ack_req |= !unreliable();
  took_run_ = false;
  taken_ = Taken{static_cast<std::uint32_t>(asked_), send_, static_cast<std::uint16_t>(p.payload_length),
                 next_ == sent_};
  rnr_until_ = 0;

  if (p.retransmission) {
    ++retransmitted_packets_;
  } else {
    payload_bytes_ += p.payload_length;
    ++sent_;
  }
  ++next_;
  if (last) ++send_;
  if (unreliable()) {
    acked_ = next_;
    if (last) complete_acknowledged();
  } else {
    if (p.ack_req) asked_ = next_;
    if (ack_deadline_ == kNever && (p.ack_req || firmware())) {
      taken_.started_timer = true;
      start_timer(now);
    }
  }
  complete_local_error();
  return p;
}

void Requester::payload_error(Time /*now*/) {
  if (took_run_) {
    taken_ =
        Taken{static_cast<std::uint32_t>(asked_), send_, static_cast<std::uint16_t>(full_payload()), true};
  }
  end_run();
  --next_;
  send_ = taken_.index;
  if (taken_.first_time) {
    --sent_;
    payload_bytes_ -= taken_.payload_length;
  } else {
    --retransmitted_packets_;
  }
  asked_ -= static_cast<std::uint32_t>(asked_) - taken_.asked_before;
  if (taken_.started_timer) ack_deadline_ = kNever;
  if (unreliable()) {
    acked_ = next_;
    if (done_ != taken_.index) {  // the request completed when its last packet was sent
      done_ = taken_.index;
      --messages_completed_;
      if (head_ == done_ + 1) head_ = done_;
    }
  }
  limit_ = taken_.index;
  complete_local_error();
}

}  // namespace softfeb::roce
