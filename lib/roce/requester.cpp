// SPDX-License-Identifier: BSD-3-Clause
#include "roce/requester.hpp"

#include <bit>
#include <cstddef>
#include <stdexcept>
#include <utility>

namespace softfeb::roce {

namespace {

constexpr std::uint32_t kMaxDepth = SendQueue::kMaxDepth;
constexpr std::uint64_t kFirstMask = (std::uint64_t{1} << 48) - 1;

const RequesterConfig& checked(const RequesterConfig& c) {
  if (!pmtu_legal(c.pmtu)) throw std::invalid_argument("path MTU must be 256, 512, 1024, 2048 or 4096");
  if (c.send_queue_depth == 0 || c.send_queue_depth > kMaxDepth) {
    throw std::invalid_argument("send_queue_depth must be 1 to 2^23");
  }
  if (c.window_requests == 0) throw std::invalid_argument("window_requests must be at least 1");
  if (c.window_packets > kMaxWindowPackets)
    throw std::invalid_argument("window_packets must be at most 2^22");
  return c;
}

/// Completion opcode that the firmware reports for verb `v`. The firmware reports an opcode for unsupported
/// verbs, too (test/vectors/wire/bad_opcode_*).
WcOpcode wc_opcode(std::uint8_t v) {
  constexpr std::uint8_t kOther = 7;
  constexpr std::uint8_t kTable[] = {1, 1, 0, 0, 2, 3, 4, 6, 5, 0};
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

RequesterSettings::RequesterSettings(const RequesterConfig& c, Again make_again)
    : config(checked(c)),
      again(make_again),
      ack_timeout(roce::ack_timeout(c.timing, c.timeout)),
      window_packets(c.window_packets == 0 ? kMaxWindowPackets : c.window_packets),
      // AckReq is set at least once every half window. A full window therefore always contains a packet
      // with AckReq, and an ACK that reopens the window will arrive.
      ask_mask(std::bit_floor(std::max(1U, window_packets / 2)) - 1),
      pmtu_shift(static_cast<std::uint8_t>(std::countr_zero(c.pmtu))),
      always_asks(c.sq_sig_all && c.timing == TimingProfile::kFirmware) {
  config.qpn = config.dest_qpn = config.initial_psn = 0;
}

Requester::Requester(const RequesterConfig& config, RequesterDeps&& parts)
    : Requester(config, std::move(parts.profile),
                SendQueue(config.send_queue_depth, parts.maker == nullptr, parts.queue), parts.maker) {}

Requester::Requester(const RequesterConfig& config, Held<RequesterSettings>&& profile, SendQueue&& queue,
                     const void* maker)
    : profile_(std::move(profile)),
      initial_psn_(config.initial_psn & kPsnMask),
      queue_(std::move(queue)),
      maker_(maker),
      dest_qpn_(config.dest_qpn),
      qpn_(config.qpn) {
  queue_.restart();
  static_assert(offsetof(Requester, ack_deadline_) == 64 && offsetof(Requester, queue_) == 128,
                "what each packet of a run touches must stay in a cache line");
  static_assert(sizeof(Requester) <= 256, "memory of a queue pair (doc/engine.md)");
}

void Requester::renew(const RequesterConfig& config) {
  RequesterConfig c = config;
  c.send_queue_depth = queue_.depth();
  const RequesterSettings next(c, profile_->again);
  Held<RequesterSettings> profile = std::move(profile_);
  if (profile.own()) {
    *profile = next;
  } else {
    profile = Held<RequesterSettings>(RequesterSettings(next));
  }
  SendQueue queue = std::move(queue_);
  *this = Requester(c, std::move(profile), std::move(queue), maker_);
}

RequesterConfig Requester::config() const {
  RequesterConfig c = shared();
  c.qpn = qpn_;
  c.dest_qpn = dest_qpn_;
  c.initial_psn = initial_psn_;
  return c;
}

RequesterCounters Requester::counters() const {
  return {.packets = sent_ + retransmitted_packets_,
          .retransmitted_packets = retransmitted_packets_,
          .payload_bytes = payload_bytes_,
          .messages_completed = messages_completed_,
          .messages_failed = messages_failed_,
          .timeouts = timeouts_,
          .ack_rx = ack_rx_,
          .rnr_rx = rnr_rx_,
          .nak_sequence_rx = nak_sequence_rx_,
          .nak_invalid_request_rx = nak_invalid_request_rx_,
          .nak_remote_access_rx = nak_remote_access_rx_,
          .nak_remote_operational_rx = nak_remote_operational_rx_,
          .nak_invalid_rd_rx = nak_invalid_rd_rx_,
          .responses_ignored = responses_ignored_};
}

bool Requester::post(const WorkRequest& r, Time /*now*/) {
  if (!can_post()) return false;
  end_run();
  const bool legal = r.opcode <= WrOpcode::kSendImm && r.length <= kMaxMessage;
  queue_[tail_] = SendSlot{.first = posted_packets_ & kFirstMask,
                           .signaled = r.signaled,
                           .solicited = r.solicited,
                           .opcode = static_cast<std::uint8_t>(r.opcode)};
  if (queue_.keeps_requests()) queue_.request(tail_) = r;
  if (legal) posted_packets_ += packets_of(r.length, profile_->pmtu_shift);
  const bool sendable = legal && limit_ == tail_;
  queue_.reach(++tail_);
  if (state_ == QpState::kErr) {
    fail(done_, WcStatus::kFlushed);
  } else if (sendable) {
    limit_ = tail_;
  } else {
    complete_local_error();
  }
  return true;
}

/// Number of the first packet of request `index`.
std::uint64_t Requester::first_of(std::uint32_t index) const {
  // A slot stores only the lower 48 bits of the packet number. The distance to acked_ is sign-extended from
  // 48 bits, because requests in the queue are far less than 2^47 packets away from acked_.
  const auto ahead = static_cast<std::int64_t>((queue_[index].first - acked_) << 16) >> 16;
  return acked_ + static_cast<std::uint64_t>(ahead);
}

void Requester::take_up() const {
  const WorkRequest r = request(send_);
  const std::uint64_t first = first_of(send_);
  sending_ = {first, static_cast<std::uint32_t>(end_of(send_) - first), r.length};
  sending_offset_ = r.payload_offset - (first << profile_->pmtu_shift);
  sending_index_ = send_;
  sending_verb_ = r.opcode;
  sending_solicited_ = r.solicited;
}

bool Requester::reported(const SendSlot& slot) const {
  return slot.status != 0 || slot.signaled != 0 || (shared().sq_sig_all && !firmware());
}

void Requester::finish(std::uint32_t index, WcStatus status) {
  static_assert(static_cast<int>(WcStatus::kSuccess) == 0);
  queue_[index].status = static_cast<std::uint8_t>(status);
  if (status == WcStatus::kSuccess) {
    ++messages_completed_;
  } else {
    ++messages_failed_;
  }
}

/// Frees the slots of unsignaled requests that succeeded, without waiting for poll().
void Requester::pass_unreported() {
  while (head_ != done_ && !reported(queue_[head_])) ++head_;
}

void Requester::complete_acknowledged() {
  const std::uint32_t before = done_;
  while (done_ != limit_ && end_of(done_) <= acked_) finish(done_++, WcStatus::kSuccess);
  if (done_ == before) return;
  reload_retries();
  pass_unreported();
}

/// Completes request `index` with `status`, completes all other unfinished requests as flushed, and moves the
/// QP to ERR.
void Requester::fail(std::uint32_t index, WcStatus status) {
  for (; done_ != tail_; ++done_) finish(done_, done_ == index ? status : WcStatus::kFlushed);
  send_ = limit_ = tail_;
  ack_deadline_ = kNever;
  rnr_until_ = 0;
  state_ = QpState::kErr;
}

/// Handles a local error. The failed request moves the QP to ERR once all requests before it have
/// completed. If no packet in flight requests an ACK, no ACK will complete these earlier requests, so they
/// are flushed.
void Requester::complete_local_error() {
  const bool failed = limit_ != tail_ && send_ == limit_;
  if (failed && (done_ == limit_ || asked_ <= acked_)) fail(limit_, WcStatus::kLocalOperationError);
}

bool Requester::poll(Completion& out) {
  pass_unreported();
  if (head_ == done_) return false;
  const SendSlot& slot = queue_[head_];
  const WorkRequest r = request(head_);
  out = Completion{r.id, wc_opcode(static_cast<std::uint8_t>(slot.opcode)),
                   static_cast<WcStatus>(slot.status), r.length, qpn_};
  ++head_;
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
