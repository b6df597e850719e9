// SPDX-License-Identifier: BSD-3-Clause
#include "roce/responder.hpp"

namespace softfeb::roce {

namespace {

/// Returns true if two partition keys match: their lower 15 bits are equal, and at least one side is a full
/// member (IBA, section 10.9.3).
bool pkey_matches(std::uint16_t a, std::uint16_t b) {
  return (a & 0x7fff) == (b & 0x7fff) && ((a | b) & 0x8000) != 0;
}

/// Returns true for READ responses, acknowledgements and atomic acknowledgements (IBA table 38). Such packets
/// are addressed to a requester. The responder therefore ignores these packets, and does not treat them as
/// invalid requests.
bool is_response(std::uint8_t opcode) { return (opcode & 0x1f) >= 0x0d && (opcode & 0x1f) <= 0x12; }

std::uint8_t nak_syndrome(bool remote_access) {
  return Aeth::nak(remote_access ? AethKind::kNakRemoteAccess : AethKind::kNakInvalidRequest);
}

}  // namespace

ResponderCounters& ResponderCounters::operator+=(const ResponderCounters& o) {
  packets += o.packets;
  payload_bytes += o.payload_bytes;
  messages += o.messages;
  completed_bytes += o.completed_bytes;
  immediates += o.immediates;
  duplicate += o.duplicate;
  out_of_order += o.out_of_order;
  missing_packets += o.missing_packets;
  missing_messages += o.missing_messages;
  discarded += o.discarded;
  access_errors += o.access_errors;
  invalid_requests += o.invalid_requests;
  no_receive += o.no_receive;
  ack_tx += o.ack_tx;
  nak_sequence_tx += o.nak_sequence_tx;
  nak_error_tx += o.nak_error_tx;
  rnr_tx += o.rnr_tx;
  ignored += o.ignored;
  return *this;
}

Responder::Responder(const ResponderConfig& config, const std::vector<MemoryRegion>& regions)
    : expected_psn_(config.expected_psn & kPsnMask),
      config_(config),
      receives_(config.receives),
      regions_(&regions),
      window_(config.expected_psn & kPsnMask) {}

void Responder::post_receives(std::uint64_t n) {
  receives_ = n > kUnlimitedReceives - receives_ ? kUnlimitedReceives : receives_ + n;
}

bool Responder::concerns_us(const Bth& bth) const {
  return state_ != QpState::kErr &&
         opcode_service(bth.opcode) == static_cast<std::uint8_t>(config_.transport) &&
         !is_response(bth.opcode) && bth.tver == 0 && pkey_matches(bth.pkey, config_.pkey);
}

RequestOutcome Responder::on_request(const ReceivedRequest& request) {
  RequestOutcome out = on_request_unplaced(request);
  if (const auto& p = out.payload; p && p->to != nullptr) p->bytes.copy(0, p->bytes.size(), p->to);
  return out;
}

RequestOutcome Responder::on_request_unplaced(const ReceivedRequest& request) {
  ++counters_.packets;
  if (!concerns_us(request.bth)) {
    ++counters_.ignored;
    return {};
  }
  return config_.transport == Transport::kRc ? on_rc(request) : on_uc(request);
}

RequestOutcome Responder::on_rc(const ReceivedRequest& request) {
  const Psn psn = request.bth.psn;
  const std::int32_t distance = psn_diff(psn, expected_psn_);
  RequestOutcome out;
  if (distance < 0) {
    // The ACK may have been lost. Acknowledge the latest PSN again (IBA, section 9.7.5.1.4), regardless of
    // which packet was repeated.
    ++counters_.duplicate;
    ++counters_.ack_tx;
    out.reply = reply(Aeth::ack(), psn_add(expected_psn_, kPsnMask));
    return out;
  }
  if (distance > 0) {
    ++counters_.out_of_order;
    if (nak_sent_) return out;
    nak_sent_ = true;
    ++counters_.nak_sequence_tx;
    out.reply = reply(Aeth::nak(AethKind::kNakSequence), expected_psn_);
    return out;
  }
  nak_sent_ = false;
  const Fault fault = examine(request);
  if (fault != Fault::kNone) return refuse_rc(fault, psn);
  accept(request, next_index_++, out);
  if (request.bth.ack_req) {
    ++counters_.ack_tx;
    out.reply = reply(Aeth::ack(), psn);
  }
  return out;
}

RequestOutcome Responder::refuse_rc(Fault fault, Psn psn) {
  RequestOutcome out;
  count(fault);
  if (fault == Fault::kNoReceive) {
    ++counters_.rnr_tx;
    out.reply = reply(Aeth::rnr(config_.rnr_timer), psn);
    return out;
  }
  ++counters_.nak_error_tx;
  out.reply = reply(nak_syndrome(fault == Fault::kRemoteAccess), psn);
  set_error();
  return out;
}

void Responder::set_error() {
  state_ = QpState::kErr;
  message_.active = false;
}

RequestOutcome Responder::on_uc(const ReceivedRequest& request) {
  RequestOutcome out;
  const Operation op = opcode_operation(request.bth.opcode);
  auto arrival = window_.note(request.bth.psn);
  // A PSN before the initial PSN usually belongs to a late packet. If the PSN is more than 2^22 behind the
  // expected PSN, the packet is not late: so many packets were lost before it that they cannot be counted.
  constexpr std::int32_t kFarBehind = -(1 << 22);
  const bool far = !arrival && psn_diff(request.bth.psn, expected_psn_) < kFarBehind;
  if (far && !config_.any_order && begins_message(op)) arrival = window_.restart(request.bth.psn);
  if (!arrival || arrival->kind == ArrivalWindow::Kind::kDuplicate) {
    ++counters_.duplicate;
    return out;
  }
  counters_.missing_packets += arrival->passed_over;
  if (arrival->kind == ArrivalWindow::Kind::kLate) --counters_.missing_packets;
  if (arrival->index + 1 < window_.next_index()) ++counters_.out_of_order;

  if (config_.any_order) {
    out.packet_index = arrival->index;
    return out;
  }
  const bool in_sequence = request.bth.psn == expected_psn_;
  expected_psn_ = psn_add(request.bth.psn, 1);
  const bool begins = is_write(op) && begins_message(op);
  if (begins || !in_sequence) abandon_uc();
  if (begins) dropping_ = false;
  const bool ends = !is_request(op) || ends_message(op);
  if (is_write(op) && !begins && !message_.active) {
    discard_uc(ends);
    return out;
  }
  const Fault fault = examine(request);
  if (fault != Fault::kNone) {
    count(fault);
    abandon_uc();
    discard_uc(ends);
    return out;
  }
  accept(request, arrival->index, out);
  return out;
}

/// Abandons the message in progress, which can no longer be completed.
void Responder::abandon_uc() {
  if (!message_.active) return;
  message_.active = false;
  dropping_ = true;
  ++counters_.missing_messages;
}

/// Drops a packet. Counts its message as missing unless an earlier packet of the message was dropped too.
void Responder::discard_uc(bool ends) {
  ++counters_.discarded;
  if (!dropping_) ++counters_.missing_messages;
  dropping_ = !ends;
}

/// Validates a packet with the expected PSN, and begins a message if the packet is its first.
Responder::Fault Responder::examine(const ReceivedRequest& request) {
  const Operation op = opcode_operation(request.bth.opcode);
  if (!is_write(op) || begins_message(op) == message_.active) return Fault::kInvalidRequest;
  if (has_immediate(op) && receives_ == 0) return Fault::kNoReceive;
  if (begins_message(op)) {
    const Fault fault = begin(request.reth);
    if (fault != Fault::kNone) return fault;
  }
  if (message_.revoked) return Fault::kRemoteAccess;
  return check_length(request);
}

Responder::Fault Responder::begin(const Reth& reth) {
  Message m{true, nullptr, 0, reth.dma_length, 0};
  if (reth.dma_length > kMaxMessage) return Fault::kInvalidRequest;
  if (reth.dma_length != 0) {  // an empty WRITE does not access memory (IBA, C9-88)
    m.region = find_region(reth.rkey);
    if (m.region == nullptr || !m.region->holds(reth.virtual_address, reth.dma_length)) {
      return Fault::kRemoteAccess;
    }
    m.address = reth.virtual_address;
  }
  message_ = m;
  return Fault::kNone;
}

/// Checks that every packet except the last carries a full path MTU, that the last packet carries the
/// remainder (IBA, section 9.7.4.1.6), and that the pad matches the payload.
Responder::Fault Responder::check_length(const ReceivedRequest& request) const {
  const Operation op = opcode_operation(request.bth.opcode);
  const std::size_t size = request.payload.size();
  const std::uint32_t remaining = message_.length - message_.done;
  const bool fits = ends_message(op) ? remaining <= config_.pmtu && size == remaining
                                     : remaining > config_.pmtu && size == config_.pmtu;
  if (!fits) return Fault::kInvalidRequest;
  return request.bth.pad_count == (-size & 3U) ? Fault::kNone : Fault::kInvalidRequest;
}

void Responder::count(Fault fault) {
  counters_.invalid_requests += fault == Fault::kInvalidRequest;
  counters_.access_errors += fault == Fault::kRemoteAccess;
  counters_.no_receive += fault == Fault::kNoReceive;
}

void Responder::accept(const ReceivedRequest& request, std::uint64_t index, RequestOutcome& out) {
  const Operation op = opcode_operation(request.bth.opcode);
  expected_psn_ = psn_add(request.bth.psn, 1);
  out.packet_index = index;
  if (!request.payload.empty()) {
    out.payload.emplace(
        PlacedPayload{message_.address + message_.done, message_.done, request.payload, next_place()});
    message_.done += static_cast<std::uint32_t>(request.payload.size());
    counters_.payload_bytes += request.payload.size();
  }
  if (!ends_message(op)) return;
  ++msn_;
  ++counters_.messages;
  counters_.completed_bytes += message_.length;
  MessageEvent& event = out.message.emplace(MessageEvent{message_.address, message_.length});
  event.solicited = request.bth.solicited;
  if (has_immediate(op)) {
    event.has_immediate = true;
    event.immediate = request.immediate;
    ++counters_.immediates;
    if (receives_ != kUnlimitedReceives) --receives_;
  }
  message_.active = false;
}

const MemoryRegion* Responder::admit(const Reth& reth) {
  const MemoryRegion* const region = find_region(reth.rkey);
  if (reth.dma_length <= kMaxMessage && region != nullptr &&
      region->holds(reth.virtual_address, reth.dma_length))
    return region;
  count(reth.dma_length > kMaxMessage ? Fault::kInvalidRequest : Fault::kRemoteAccess);
  return nullptr;
}

void Responder::count_placed(std::uint32_t bytes) {
  counters_.payload_bytes += bytes;
  unordered_bytes_ += bytes;
}

void Responder::count_abandoned(std::uint32_t bytes) {
  ++counters_.missing_messages;
  unordered_bytes_ -= bytes;
}

bool Responder::count_complete(const MessageEvent& message) {
  unordered_bytes_ -= message.length;
  if (message.has_immediate && receives_ == 0) {
    count(Fault::kNoReceive);
    return false;
  }
  ++counters_.messages;
  counters_.completed_bytes += message.length;
  if (!message.has_immediate) return true;
  ++counters_.immediates;
  if (receives_ != kUnlimitedReceives) --receives_;
  return true;
}

bool Responder::awaits(const QuickWrite& p) const {
  if (p.psn != expected_psn_ || state_ == QpState::kErr || p.pkey != config_.pkey || (p.pkey & 0x8000) == 0 ||
      config_.transport != Transport::kRc)
    return false;
  if (p.operation == Operation::kWriteFirst) {
    const Reth reth = p.reth();
    return !message_.active && p.payload.size() == config_.pmtu && reth.dma_length > config_.pmtu &&
           reth.dma_length <= kMaxMessage && last_region_ != nullptr && last_region_->rkey == reth.rkey &&
           last_region_->holds(reth.virtual_address, reth.dma_length);
  }
  const std::uint32_t remaining = message_.length - message_.done;
  const bool last = remaining <= config_.pmtu;
  return message_.active && !message_.revoked && last == (p.operation == Operation::kWriteLast) &&
         p.payload.size() == (last ? remaining : config_.pmtu);
}

std::uint8_t* Responder::place_of(const QuickWrite& p) const {
  return p.operation == Operation::kWriteFirst ? last_region_->at(p.reth().virtual_address) : next_place();
}

Responder::Quick Responder::take(const QuickWrite& p) {
  if (p.operation == Operation::kWriteFirst) {
    const Reth reth = p.reth();
    message_ = Message{true, last_region_, reth.virtual_address, reth.dma_length, 0};
  }
  Quick q{next_index_++, message_.address + message_.done, next_place()};
  ++counters_.packets;
  nak_sent_ = false;
  expected_psn_ = psn_add(p.psn, 1);
  message_.done += static_cast<std::uint32_t>(p.payload.size());
  counters_.payload_bytes += p.payload.size();
  if (p.operation == Operation::kWriteLast) {
    ++msn_;
    ++counters_.messages;
    counters_.completed_bytes += message_.length;
    q.message.emplace(MessageEvent{message_.address, message_.length});
    message_.active = false;
  }
  if (p.ack_req) {
    ++counters_.ack_tx;
    q.reply = reply(Aeth::ack(), p.psn);
  }
  return q;
}

void Responder::find_message_again(std::uint32_t rkey) {
  last_region_ = nullptr;
  if (message_.region == nullptr) return;
  message_.region = find_region(rkey);
  message_.revoked = message_.region == nullptr || !message_.region->holds(message_.address, message_.length);
}

const MemoryRegion* Responder::find_region(std::uint32_t rkey) {
  if (last_region_ != nullptr && last_region_->rkey == rkey) return last_region_;
  for (const MemoryRegion& r : *regions_) {
    if (r.rkey == rkey) return last_region_ = &r;
  }
  return nullptr;
}

}  // namespace softfeb::roce
