// SPDX-License-Identifier: BSD-3-Clause
#include "roce/requester.hpp"

#include <algorithm>

namespace softfeb::roce {

namespace {

/// Where a packet stands in its message.
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

/// Whether packets leave in a state that is not RTS: in SQD those of messages begun.
bool Requester::may_go_on() const {
  return state_ == QpState::kSqd && (next_ != sent_ || next_ != queue_[send_].first);
}

/// Whether the last packet of the request being sent asks for an ACK. In the standard profile unsignaled
/// requests do where nothing behind them will: at the end of what is to be sent, and where the window closes
/// (doc/retransmission.md).
bool Requester::asks_on_last() const {
  if (next_ != sent_) return queue_[send_].last_asks;
  if (firmware()) return queue_[send_].signaled;
  return queue_[send_].signaled || sq_sig_all_ || send_ + 1 == limit_ || state_ == QpState::kSqd ||
         send_ + 1 - done_ >= window_requests_;
}

bool Requester::asks(const SendSlot& slot, std::uint64_t packet, bool on_last) const {
  if (unreliable()) return false;
  const bool last = packet + 1 == slot.end();
  if (last && on_last) return true;
  if (always_asks_) return true;
  if (((packet + 1) & ask_mask_) == 0) return true;
  return !last && ack_every_ != 0 && (packet + 1 - slot.first) % ack_every_ == 0;
}

RequestPacket Requester::make_packet(const SendSlot& slot, std::uint64_t packet, bool on_last) const {
  const auto index = static_cast<std::uint32_t>(packet - slot.first);
  const std::uint32_t offset = index << pmtu_shift_;
  const Operation op = operation_of(slot.opcode, place_of(index, slot.packets));
  RequestPacket p;
  p.opcode = opcode(transport_, op);
  p.ack_req = asks(slot, packet, on_last);
  // SE belongs on the packet that makes the receiver's completion (IBA 9.2.3); the firmware sets it on every
  // packet.
  p.solicited = slot.solicited && (firmware() || (ends_message(op) && (is_send(op) || has_immediate(op))));
  p.retransmission = packet < sent_;
  p.psn = psn_of(packet);
  if (has_reth(op)) p.reth = Reth{slot.remote_address, slot.rkey, slot.length};
  if (has_immediate(op)) p.immediate = slot.immediate;
  p.payload_offset = slot.payload_offset + offset;
  p.payload_length = std::min(slot.length - offset, 1U << pmtu_shift_);
  return p;
}

/// Behind the last packet, from the next one on, that is in the middle of its message and asks for nothing.
std::uint64_t Requester::run_end(const SendSlot& slot) const {
  if (next_ == slot.first || next_ != sent_) return 0;
  std::uint64_t end = slot.end() - 1;
  if (unreliable()) return end;
  // An acknowledgement may be asked for on any packet, and a timer started.
  if (always_asks_ || (firmware() && ack_deadline_ == kNever)) return 0;
  end = std::min({end, next_ | ask_mask_, acked_ + window_packets_});
  if (ack_every_ != 0) {
    const std::uint64_t index = next_ - slot.first;
    end = std::min(end, next_ + (ack_every_ - 1 - index % ack_every_));
  }
  return end;
}

bool Requester::begin_run() {
  const SendSlot& slot = queue_[send_];
  if (state_ != QpState::kRts || rnr_until_ != 0 || limit_ != tail_ || !reaped()) return false;
  run_end_ = run_end(slot);
  if (!in_run()) return false;
  run_offset_ = slot.payload_offset - (slot.first << pmtu_shift_);
  took_run_ = true;
  return true;
}

RequestPacket Requester::run_packet() const { return make_packet(queue_[send_], next_, false); }

RequestPacket Requester::peek() const { return make_packet(queue_[send_], next_, asks_on_last()); }

RequestPacket Requester::next(Time now) {
  end_run();
  SendSlot& slot = queue_[send_];
  const bool last = next_ + 1 == slot.end();
  if (last) slot.last_asks = asks_on_last();
  const RequestPacket p = make_packet(slot, next_, slot.last_asks);
  took_run_ = false;
  taken_ = Taken{send_, p.payload_length, asked_, ack_deadline_, next_ == sent_};
  rnr_until_ = 0;

  ++counters_.packets;
  if (p.retransmission) {
    ++counters_.retransmitted_packets;
  } else {
    counters_.payload_bytes += p.payload_length;
    ++sent_;
  }
  ++next_;
  if (last) ++send_;
  if (unreliable()) {
    acked_ = next_;
    if (last) complete_acknowledged();
  } else {
    if (p.ack_req) asked_ = next_;
    if (ack_deadline_ == kNever && (p.ack_req || firmware())) start_timer(now);
  }
  settle_local_error();
  return p;
}

void Requester::payload_error(Time /*now*/) {
  if (took_run_) taken_ = Taken{send_, 1U << pmtu_shift_, asked_, ack_deadline_, true};
  end_run();
  --counters_.packets;
  --next_;
  send_ = taken_.index;
  if (taken_.first_time) {
    --sent_;
    counters_.payload_bytes -= taken_.payload_length;
  } else {
    --counters_.retransmitted_packets;
  }
  asked_ = taken_.asked_before;
  ack_deadline_ = taken_.deadline_before;
  if (unreliable()) {
    acked_ = next_;
    if (done_ != taken_.index) {  // its last packet had completed it
      done_ = taken_.index;
      --counters_.messages_completed;
      if (head_ == done_ + 1) head_ = done_;
    }
  }
  limit_ = taken_.index;
  settle_local_error();
}

}  // namespace softfeb::roce
