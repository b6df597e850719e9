// SPDX-License-Identifier: BSD-3-Clause
#include "roce/requester.hpp"

#include <algorithm>

namespace softfeb::roce {

namespace {

constexpr std::uint8_t kInfinite = 7;

WcStatus fatal_status(AethKind kind) {
  switch (kind) {
    case AethKind::kNakRemoteAccess:
      return WcStatus::kRemoteAccess;
    case AethKind::kNakRemoteOperational:
      return WcStatus::kRemoteOperation;
    case AethKind::kNakInvalidRdRequest:
      return WcStatus::kRemoteInvalidRd;
    default:
      return WcStatus::kRemoteInvalidRequest;
  }
}

}  // namespace

void Requester::count(AethKind kind) {
  switch (kind) {
    case AethKind::kAck:
      ++ack_rx_;
      break;
    case AethKind::kRnrNak:
      ++rnr_rx_;
      break;
    case AethKind::kNakSequence:
      ++nak_sequence_rx_;
      break;
    case AethKind::kNakInvalidRequest:
      ++nak_invalid_request_rx_;
      break;
    case AethKind::kNakRemoteAccess:
      ++nak_remote_access_rx_;
      break;
    case AethKind::kNakRemoteOperational:
      ++nak_remote_operational_rx_;
      break;
    case AethKind::kNakInvalidRdRequest:
      ++nak_invalid_rd_rx_;
      break;
    case AethKind::kReserved:
      break;
  }
}

/// Converts `psn` to a packet number. Returns false if the packet is not in flight (sent but not
/// acknowledged). Also returns false for UC and in ERR, where responses have no effect.
bool Requester::in_flight(Psn psn, std::uint64_t& packet) const {
  const std::int32_t ahead = psn_diff(psn & kPsnMask, psn_of(acked_));
  packet = acked_ + static_cast<std::uint64_t>(static_cast<std::int64_t>(ahead));
  return ahead >= 0 && packet < sent_ && !unreliable() && state_ != QpState::kErr;
}

namespace {

/// Size of the first `packets` packets of a request, each from BTH to pad. The request has `all` packets.
std::uint64_t first_packets_bytes(const WorkRequest& r, std::uint64_t packets, std::uint64_t all,
                                  unsigned pmtu_shift) {
  const bool write = r.opcode == WrOpcode::kWrite || r.opcode == WrOpcode::kWriteImm;
  const bool immediate = r.opcode == WrOpcode::kWriteImm || r.opcode == WrOpcode::kSendImm;
  const std::uint64_t payload =
      packets == all ? (std::uint64_t{r.length} + 3) & ~std::uint64_t{3} : packets << pmtu_shift;
  return packets * Bth::kSize + (write && packets != 0 ? Reth::kSize : 0) +
         (immediate && packets == all ? ImmDt::kSize : 0) + payload;
}

}  // namespace

std::uint64_t Requester::transport_bytes(const Progress& before, std::uint64_t end) const {
  std::uint64_t bytes = 0;
  std::uint64_t at = before.acked;
  for (std::uint32_t i = before.request; at < end; ++i) {
    const std::uint64_t first = first_of(i), behind = end_of(i), to = std::min(end, behind);
    // Usually, all packets are in the middle of one request.
    if (at > first && to < behind) return bytes + (to - at) * middle_bytes();
    const WorkRequest r = request(i);
    const auto before_packet = [&](std::uint64_t packet) {
      return first_packets_bytes(r, packet - first, behind - first, profile_->pmtu_shift);
    };
    bytes += before_packet(to) - before_packet(at);
    at = to;
  }
  return bytes;
}

void Requester::on_response(const Aeth& aeth, Psn psn, Time now) {
  end_run();
  const AethKind kind = aeth.kind();
  count(kind);
  if (firmware() && kind != AethKind::kReserved && ack_deadline_ != kNever) start_timer(now);
  std::uint64_t packet = 0;
  if (kind == AethKind::kReserved || !in_flight(psn, packet)) {
    ++responses_ignored_;
    return;
  }
  if (kind == AethKind::kAck) {
    acknowledge_before(packet + 1, now);
  } else {
    const bool progress = acknowledge_before(packet, now);
    if (kind == AethKind::kNakSequence) {
      on_sequence_nak(progress);
    } else if (kind == AethKind::kRnrNak) {
      on_rnr(aeth.value(), progress, now);
    } else {
      fail(done_, fatal_status(kind));
    }
  }
  complete_local_error();
}

void Requester::on_resend_request(Psn psn, Time now) {
  end_run();
  std::uint64_t packet = 0;
  if (!in_flight(psn, packet)) return;
  acknowledge_before(packet, now);
  if (rnr_until_ == 0) go_back(acked_);
  complete_local_error();
}

void Requester::on_bad_response(Psn psn, Time now) {
  end_run();
  std::uint64_t packet = 0;
  if (!in_flight(psn, packet)) {
    ++responses_ignored_;
    return;
  }
  acknowledge_before(packet, now);
  fail(done_, WcStatus::kBadResponse);
}

/// Acknowledges all packets before `packet`. Returns false if they were already acknowledged.
bool Requester::acknowledge_before(std::uint64_t packet, Time now) {
  if (packet == acked_) return false;
  acked_ = packet;
  rnr_until_ = 0;
  complete_acknowledged();
  if (next_ < acked_) {
    next_ = acked_;
    send_ = done_;
  }
  const bool waiting = firmware() ? acked_ < sent_ : acked_ < asked_;
  if (!waiting) {
    ack_deadline_ = kNever;
  } else if (!firmware()) {
    start_timer(now);
  }
  // Any progress resets the retry count. Otherwise, a long message over a lossy path could exceed the limit.
  if (!firmware()) reload_retries();
  return true;
}

void Requester::go_back(std::uint64_t packet) {
  next_ = packet;
  send_ = done_;
  asked_ = acked_;
  if (!firmware()) ack_deadline_ = kNever;
}

void Requester::on_sequence_nak(bool progress) {
  // The NAK contains no new information if no packet was resent since the last go-back or if an RNR wait is
  // in progress.
  if (!progress && (next_ == acked_ || rnr_until_ != 0)) {
    ++responses_ignored_;
  } else if (spend_retry()) {
    go_back(acked_);
  } else {
    fail(done_, WcStatus::kRetriesExceeded);
  }
}

void Requester::on_rnr(std::uint8_t timer_code, bool progress, Time now) {
  if (!progress && rnr_until_ != 0) {
    ++responses_ignored_;
    return;
  }
  // An RNR NAK proves that the path works and the receiver is alive, so the count of retries for other
  // reasons is reset. Without this, late sequence NAKs, which packets already in flight may still cause,
  // could reach the retry limit during a long RNR wait.
  if (!firmware()) retries_used_ = 0;
  if (!spend_rnr_retry()) {
    fail(done_, WcStatus::kRetriesExceeded);
    return;
  }
  go_back(acked_);
  ack_deadline_ = kNever;
  rnr_until_ = saturating_add(now, rnr_wait(shared().timing, timer_code, shared().min_rnr_timer));
}

void Requester::on_timer(Time now) {
  end_run();
  if (rnr_until_ <= now) rnr_until_ = 0;
  if (ack_deadline_ > now || ack_deadline_ == kNever) return;
  ++timeouts_;
  if (!spend_retry()) {
    fail(done_, WcStatus::kTimeoutsExceeded);
    return;
  }
  if (firmware()) {
    // Go back to the first packet of the oldest request, unless this packet is so far back that the receiver
    // could mistake its PSN for a new PSN.
    const std::uint64_t first = first_of(done_);
    go_back(acked_ - first <= kMaxWindowPackets / 2 ? first : acked_);
    start_timer(now);
  } else {
    go_back(acked_);
  }
}

bool Requester::spend_retry() {
  if (shared().retry_count == kInfinite) return true;
  if (retries_used_ == shared().retry_count) return false;
  ++retries_used_;
  return true;
}

bool Requester::spend_rnr_retry() {
  const bool both = shared().retry_count == kInfinite || !shared().rnr_infinite_needs_both;
  if (shared().rnr_retry == kInfinite && both) return true;
  if (rnr_retries_used_ == shared().rnr_retry) return false;
  ++rnr_retries_used_;
  return true;
}

void Requester::reload_retries() {
  retries_used_ = 0;
  rnr_retries_used_ = 0;
}

}  // namespace softfeb::roce
