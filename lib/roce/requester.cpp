// SPDX-License-Identifier: BSD-3-Clause
#include "roce/requester.hpp"

#include <bit>
#include <cstddef>
#include <stdexcept>
#include <utility>

namespace softfeb::roce {

namespace {

/// Highest value that leaves index arithmetic room.
constexpr std::uint32_t kMaxDepth = 1U << 30;

const RequesterConfig& checked(const RequesterConfig& c) {
  if (!pmtu_legal(c.pmtu)) throw std::invalid_argument("path MTU must be 256, 512, 1024, 2048 or 4096");
  if (c.send_queue_depth == 0 || c.send_queue_depth > kMaxDepth) {
    throw std::invalid_argument("send_queue_depth must be 1 to 2^30");
  }
  if (c.window_requests == 0) throw std::invalid_argument("window_requests must be at least 1");
  if (c.window_packets > kMaxWindowPackets)
    throw std::invalid_argument("window_packets must be at most 2^22");
  return c;
}

/// What the firmware reports for a verb; the odd ones as it does (vectors/wire/bad_opcode_*).
WcOpcode wc_opcode(WrOpcode verb) {
  constexpr std::uint8_t kOther = 7;
  constexpr std::uint8_t kTable[] = {1, 1, 0, 0, 2, 3, 4, 6, 5, 0};
  const auto v = static_cast<std::uint8_t>(verb);
  return v < sizeof kTable ? kTable[v] : kOther;
}

std::uint32_t packets_of(std::uint32_t length, unsigned shift) {
  if (length == 0) return 1;
  return static_cast<std::uint32_t>((std::uint64_t{length} + (1U << shift) - 1) >> shift);
}

}  // namespace

RequesterCounters& RequesterCounters::operator+=(const RequesterCounters& other) {
  packets += other.packets;
  retransmitted_packets += other.retransmitted_packets;
  payload_bytes += other.payload_bytes;
  messages_completed += other.messages_completed;
  messages_failed += other.messages_failed;
  timeouts += other.timeouts;
  ack_rx += other.ack_rx;
  rnr_rx += other.rnr_rx;
  nak_sequence_rx += other.nak_sequence_rx;
  nak_invalid_request_rx += other.nak_invalid_request_rx;
  nak_remote_access_rx += other.nak_remote_access_rx;
  nak_remote_operational_rx += other.nak_remote_operational_rx;
  nak_invalid_rd_rx += other.nak_invalid_rd_rx;
  responses_ignored += other.responses_ignored;
  return *this;
}

Requester::Requester(const RequesterConfig& config)
    : Requester(config, SendQueue(checked(config).send_queue_depth)) {}

Requester::Requester(const RequesterConfig& config, SendQueue&& queue)
    : ack_timeout_(ack_timeout(config.timing, config.timeout)),
      depth_(config.send_queue_depth),
      window_requests_(config.window_requests),
      window_packets_(config.window_packets == 0 ? kMaxWindowPackets : config.window_packets),
      queue_(std::move(queue)),
      // Two such packets lie in every full window: one of them is always on its way when the window closes.
      ask_mask_(std::bit_floor(std::max(1U, window_packets_ / 2)) - 1),
      ack_every_(config.ack_every),
      timing_(config.timing),
      sq_sig_all_(config.sq_sig_all),
      always_asks_(config.sq_sig_all && config.timing == TimingProfile::kFirmware),
      initial_psn_(config.initial_psn & kPsnMask),
      transport_(config.transport),
      pmtu_shift_(static_cast<std::uint8_t>(std::countr_zero(config.pmtu))),
      config_(config) {
  queue_.restart();
  static_assert(offsetof(Requester, acked_) == 128 && offsetof(Requester, counters_.payload_bytes) == 184,
                "what each packet of a run touches must stay in a cache line");
}

void Requester::renew(const RequesterConfig& config) {
  RequesterConfig c = config;
  c.send_queue_depth = depth_;
  checked(c);
  SendQueue queue = std::move(queue_);
  *this = Requester(c, std::move(queue));
}

bool Requester::post(const WorkRequest& r, Time /*now*/) {
  if (!can_post()) return false;
  end_run();
  const bool legal = r.opcode <= WrOpcode::kSendImm && r.length <= kMaxMessage;
  SendSlot& slot = queue_[tail_];
  slot = SendSlot{.first = posted_packets_,
                  .payload_offset = r.payload_offset,
                  .packets = legal ? packets_of(r.length, pmtu_shift_) : 0,
                  .length = r.length,
                  .opcode = r.opcode,
                  .signaled = r.signaled,
                  .solicited = r.solicited,
                  .id = r.id,
                  .remote_address = r.remote_address,
                  .rkey = r.rkey,
                  .immediate = r.immediate};
  posted_packets_ += slot.packets;
  const bool sendable = legal && limit_ == tail_;
  queue_.reach(++tail_);
  if (state_ == QpState::kErr) {
    fail(done_, WcStatus::kFlushed);
  } else if (sendable) {
    limit_ = tail_;
  } else {
    settle_local_error();
  }
  return true;
}

bool Requester::reported(const SendSlot& slot) const {
  return slot.status != WcStatus::kSuccess || slot.signaled || (sq_sig_all_ && !firmware());
}

void Requester::finish(std::uint32_t index, WcStatus status) {
  queue_[index].status = status;
  ++(status == WcStatus::kSuccess ? counters_.messages_completed : counters_.messages_failed);
}

/// Unsignaled successes free their slots without waiting for a poll().
void Requester::pass_unreported() {
  while (head_ != done_ && !reported(queue_[head_])) ++head_;
}

void Requester::complete_acknowledged() {
  const std::uint32_t before = done_;
  while (done_ != limit_ && queue_[done_].end() <= acked_) finish(done_++, WcStatus::kSuccess);
  if (done_ == before) return;
  reload_retries();
  pass_unreported();
}

/// Ends request `index` with `status`, everything else unfinished as flushed, and the QP's work.
void Requester::fail(std::uint32_t index, WcStatus status) {
  for (; done_ != tail_; ++done_) finish(done_, done_ == index ? status : WcStatus::kFlushed);
  send_ = limit_ = tail_;
  ack_deadline_ = kNever;
  rnr_until_ = 0;
  state_ = QpState::kErr;
}

/// A request that failed here ends the QP when its turn to complete has come. Where nothing on its way asks
/// for an ACK the requests before it will never be heard of, and are flushed.
void Requester::settle_local_error() {
  const bool failed = limit_ != tail_ && send_ == limit_;
  if (failed && (done_ == limit_ || asked_ <= acked_)) fail(limit_, WcStatus::kLocalOperationError);
}

bool Requester::poll(Completion& out) {
  pass_unreported();
  if (head_ == done_) return false;
  const SendSlot& slot = queue_[head_++];
  out = Completion{slot.id, wc_opcode(slot.opcode), slot.status, slot.length, config_.qpn};
  return true;
}

void Requester::set_state(QpState state, Time /*now*/) {
  end_run();
  if (state_ == QpState::kErr) return;
  if (state == QpState::kErr) {
    fail(tail_, WcStatus::kFlushed);
  } else {
    state_ = state;
  }
}

}  // namespace softfeb::roce
