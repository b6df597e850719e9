// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/count48.hpp"
#include "base/held.hpp"
#include "base/prefetch.hpp"
#include "base/time.hpp"
#include "roce/headers.hpp"
#include "roce/packet.hpp"
#include "roce/retry_timing.hpp"
#include "roce/send_queue.hpp"
#include "roce/work.hpp"

#include <algorithm>
#include <cstdint>

namespace softfeb::roce {

struct RequesterConfig {
  Transport transport = Transport::kRc;
  Qpn qpn = 0;       ///< ours; completions carry it
  Qpn dest_qpn = 0;  ///< the responder's
  std::uint32_t pmtu = 4096;
  Psn initial_psn = 0;
  /// Standard profile: every request is signaled. Firmware profile: AckReq on every packet, while completions
  /// are still only those of requests that ask for them (vectors/wire/flags_sq_sig_all).
  bool sq_sig_all = false;
  std::uint8_t timeout = 14;     ///< code 0…31, 0 = never
  std::uint8_t retry_count = 3;  ///< 0…7, 7 = infinite
  std::uint8_t rnr_retry = 7;    ///< 0…7, 7 = infinite
  /// Firmware of 2025: rnr_retry 7 is infinite only where retry_count is 7 too (vectors/wire/rnr_retry7_*).
  bool rnr_infinite_needs_both = false;
  std::uint8_t min_rnr_timer = 1;       ///< own minimum code for RNR waits
  std::uint32_t send_queue_depth = 64;  ///< requests that can be posted and not yet completed
  std::uint32_t window_requests = 16;   ///< requests sent and not acknowledged (RC)
  std::uint32_t window_packets = 0;     ///< packets sent and not acknowledged (RC), 0 = kMaxWindowPackets
  std::uint32_t ack_every = 0;  ///< AckReq on every N-th packet of a message besides its last, 0 = last only
  TimingProfile timing = TimingProfile::kStandard;

  auto operator<=>(const RequesterConfig&) const = default;
};

/// Most packets in flight: half of what 24-bit PSNs can tell from duplicates (IBA 9.7.1), so a late response
/// is never taken for a new one. An ACK is asked for at least every half of it, whatever the length of the
/// message.
inline constexpr std::uint32_t kMaxWindowPackets = 1U << 22;

/// What queue pairs have in common that are configured alike: a configuration whose numbers of one queue pair
/// (`qpn`, `dest_qpn`, `initial_psn`) mean nothing, and what follows from it.
struct RequesterProfile {
  /// Makes again the request that `maker` made `back` requests ago, 1 being the last, as it was.
  using Again = WorkRequest (*)(const void* maker, std::uint32_t back);

  /// Throws std::invalid_argument for a path MTU, queue depth or window that cannot be.
  explicit RequesterProfile(const RequesterConfig& config, Again again = nullptr);

  RequesterConfig config;
  Again again;  ///< null: requesters keep what is posted
  Time ack_timeout;
  std::uint32_t window_packets;
  std::uint32_t ask_mask;  ///< AckReq on the packets before multiples of ask_mask + 1
  std::uint8_t pmtu_shift;
  bool always_asks;  ///< the firmware with sq_sig_all
};

/// What a requester need not have by itself, where many of them are kept together.
struct RequesterParts {
  Held<RequesterProfile> profile;  ///< of its configuration
  void* queue = nullptr;           ///< SendQueue::bytes() of room; none: its own
  const void* maker = nullptr;     ///< for RequesterProfile::again, where there is that
};

struct RequesterCounters {
  std::uint64_t packets = 0;  ///< all that left, retransmissions included
  std::uint64_t retransmitted_packets = 0;
  std::uint64_t payload_bytes = 0;       ///< of first transmissions
  std::uint64_t messages_completed = 0;  ///< status success, unsignaled ones too
  std::uint64_t messages_failed = 0;     ///< every other status, flushed ones too
  std::uint64_t timeouts = 0;
  std::uint64_t ack_rx = 0;  ///< this and the following: all that arrived, ignored ones too
  std::uint64_t rnr_rx = 0;
  std::uint64_t nak_sequence_rx = 0;
  std::uint64_t nak_invalid_request_rx = 0;
  std::uint64_t nak_remote_access_rx = 0;
  std::uint64_t nak_remote_operational_rx = 0;
  std::uint64_t nak_invalid_rd_rx = 0;
  std::uint64_t responses_ignored = 0;  ///< duplicate, old or future PSN, reserved syndrome

  RequesterCounters& operator+=(const RequesterCounters& other);
};

/// The send half of a queue pair: turns work requests into packets and responses into completions, with
/// go-back-N (IBA 9.7.5–9.7.7, C9-128 ff.). Sans-I/O: no clock, no allocation after construction, not
/// thread-safe.
///
/// The owner's loop: post(); while (ready(now)) next(packet) and send it; on_response() for every
/// acknowledgement; on_timer() when `now` reaches deadline(); poll() completions, which come in posting
/// order.
class Requester {
 public:
  /// Begins in RTS. Throws std::invalid_argument for a path MTU, queue depth or window that cannot be.
  explicit Requester(const RequesterConfig& config)
      : Requester(config, {Held<RequesterProfile>(RequesterProfile(config))}) {}
  /// The parts outlive it.
  Requester(const RequesterConfig& config, RequesterParts&& parts);
  Requester(Requester&&) noexcept = default;

  /// As if made anew with `config`, but for the send queue, which keeps its place and depth: nothing is
  /// allocated where the profile is its own. What was posted is forgotten without completions. Throws as the
  /// constructor does, before anything is changed.
  void renew(const RequesterConfig& config);

  /// Queues a request. False when the send queue is full (nothing is changed). In ERR the request completes
  /// as flushed. A verb the requester does not do, or a length above kMaxMessage, completes with
  /// kLocalOperationError and moves the QP to ERR when all requests before it have completed; nothing posted
  /// after it is sent.
  bool post(const WorkRequest& request, Time now);
  bool can_post() const { return tail_ - head_ < queue_.depth(); }

  /// True when a packet may leave now as far as this QP is concerned (window, RNR wait, state).
  bool ready(Time now) const;
  /// The packet that would leave next, without sending it. Requires ready().
  RequestPacket peek() const;
  /// Bytes of it from BTH to pad. Requires ready().
  std::uint32_t next_transport_bytes() const;
  /// Takes the next packet for sending at `now`. Requires ready().
  RequestPacket next(Time now);

  /// A run: packets in the middle of a message that are all alike, sent for the first time and asking for
  /// nothing, so that nothing begins, ends or fails with them, and no timer starts. Begun when the next
  /// packet is one, and nothing waits to be polled. As long as in_run() holds, ready() does and next_of_run()
  /// gives what next() would. Everything but that, reading apart, ends it.
  bool begin_run();
  /// Where this does not hold, begin_run() is in vain: it costs less to ask.
  bool may_begin_run() const { return sending_index_ == send_ && in_the_middle(sending_); }
  bool in_run() const { return next_ < run_end_; }
  void end_run() { run_end_ = 0; }
  /// Whether that many packets of a run are left, and one more.
  bool runs_beyond(std::uint32_t packets) const { return next_ + packets < run_end_; }
  struct PlainPacket {
    Psn psn = 0;
    std::uint64_t payload_offset = 0;
  };
  PlainPacket next_of_run();
  /// A run's packets without PSN and place of their payload: what they have in common. Requires in_run().
  RequestPacket run_packet() const;
  /// The payload of the packet that next() gave last cannot be had, so it was not sent: its request ends with
  /// kLocalOperationError and the QP goes to ERR, once the requests before it have completed.
  void payload_error(Time now);

  /// An acknowledgement for this QP arrived (well formed, iCRC right, peer verified).
  void on_response(const Aeth& aeth, Psn psn, Time now);
  /// A response no request of ours asks for (is_foreign_response()) arrived: where its PSN is in flight its
  /// request ends with kBadResponse and the QP goes to ERR.
  void on_bad_response(Psn psn, Time now);

  /// Earliest time at which on_timer() has something to do; kNever when nothing runs.
  Time deadline() const { return rnr_until_ == 0 ? ack_deadline_ : std::min(ack_deadline_, rnr_until_); }
  void on_timer(Time now);
  /// What deadline() looks at is fetched into the cache.
  void prefetch_deadline() const { prefetch(&ack_deadline_); }
  /// What sending the request whose turn it is touches in the send queue, and what completing the next does.
  void prefetch_sending() const { queue_.prefetch(send_); }
  void prefetch_completing() const { queue_.prefetch(done_); }

  /// Next completion in posting order. Unsignaled successes are passed over.
  bool poll(Completion& out);

  /// RTS ↔ SQD (messages begun go on, requests not begun wait) and → ERR (everything unfinished completes as
  /// flushed). In other states nothing is sent; ERR is left only by making a new requester.
  void set_state(QpState state, Time now);
  QpState state() const { return state_; }

  /// Requests posted and not completed.
  std::uint32_t outstanding() const { return tail_ - done_; }
  bool idle() const { return outstanding() == 0; }
  /// Nothing has completed that poll() has not seen.
  bool reaped() const { return head_ == done_; }
  /// Requests of which packets are still to be sent (again, after going back).
  std::uint32_t unsent() const { return tail_ - send_; }
  /// PSN of the packet that will be sent next for the first time.
  Psn next_psn() const { return psn_of(sent_); }
  RequesterCounters counters() const;
  /// Those of counters() that are looked at often.
  std::uint64_t messages_completed() const { return messages_completed_; }
  std::uint64_t timeouts() const { return timeouts_; }
  RequesterConfig config() const;
  Qpn dest_qpn() const { return dest_qpn_; }
  std::uint32_t send_queue_depth() const { return queue_.depth(); }

 private:
  Requester(const RequesterConfig& config, Held<RequesterProfile>&& profile, SendQueue&& queue,
            const void* maker);
  Requester& operator=(Requester&&) noexcept = default;

  /// The request being sent, as far as its packets ask for it: taken out of queue and maker once.
  struct Sending {
    std::uint64_t first = 0;
    std::uint32_t packets = 0;  ///< 0 when it cannot be sent (unsupported verb)
    std::uint32_t length = 0;

    std::uint64_t end() const { return first + packets; }
  };

  /// What next() gave last, and what it changed that payload_error() must undo. Not kept of a run's packet,
  /// which changed nothing but the count of packets and bytes.
  struct Taken {
    std::uint32_t asked_before = 0;  ///< modulo 2^32
    std::uint32_t index = 0;         ///< of its request
    std::uint16_t payload_length = 0;
    bool first_time = false;
    bool started_timer = false;
  };

  /// Requires a request that is to be sent.
  const Sending& sending() const {
    if (sending_index_ != send_) take_up();
    return sending_;
  }
  void take_up() const;
  WrOpcode verb() const { return sending_verb_; }
  /// The request as it was posted.
  WorkRequest request(std::uint32_t index) const {
    return maker_ == nullptr ? queue_.request(index) : profile_->again(maker_, tail_ - index);
  }
  std::uint64_t first_of(std::uint32_t index) const;
  std::uint64_t end_of(std::uint32_t index) const {
    return index + 1 == tail_ ? posted_packets_ : first_of(index + 1);
  }

  const RequesterConfig& shared() const { return profile_->config; }
  std::uint32_t full_payload() const { return 1U << profile_->pmtu_shift; }
  bool firmware() const { return shared().timing == TimingProfile::kFirmware; }
  bool unreliable() const { return shared().transport == Transport::kUc; }
  Psn psn_of(std::uint64_t packet) const { return psn_add(initial_psn_, static_cast<std::uint32_t>(packet)); }
  bool reported(const SendSlot& slot) const;
  bool asks_on_last() const;
  bool asks(std::uint64_t packet, bool on_last) const;
  RequestPacket make_packet(std::uint64_t packet, bool on_last) const;

  bool may_go_on() const;
  /// The next packet is neither its message's first nor its last.
  bool in_the_middle(const Sending& s) const { return next_ > s.first && next_ + 1 < s.end(); }
  std::uint64_t run_end() const;

  void finish(std::uint32_t index, WcStatus status);
  void pass_unreported();
  void complete_acknowledged();
  void fail(std::uint32_t index, WcStatus status);
  void settle_local_error();

  bool in_flight(Psn psn, std::uint64_t& packet) const;
  bool acknowledge_before(std::uint64_t packet, Time now);
  void go_back(std::uint64_t packet);
  void on_sequence_nak(bool progress);
  void on_rnr(std::uint8_t timer_code, bool progress, Time now);
  bool spend_retry();
  bool spend_rnr_retry();
  void reload_retries();
  void start_timer(Time now) { ack_deadline_ = saturating_add(now, profile_->ack_timeout); }
  void count(AethKind kind);

  // Four cache lines, where the owner aligns it. Packets by their running number (Sending::first), requests
  // by their running index: head_ (not polled) ≤ done_ (not completed) ≤ send_ (being sent) ≤ limit_ (not to
  // be sent) ≤ tail_ (end). What each packet of a run touches:
  std::uint64_t acked_ = 0;  ///< every packet before this one is acknowledged
  std::uint64_t next_ = 0;   ///< the packet to send next
  std::uint64_t sent_ = 0;   ///< every packet before this one has been sent at least once
  std::uint64_t run_end_ = 0;
  /// Of packet 0 in the payload stream, if the message being sent had begun there.
  mutable std::uint64_t sending_offset_ = 0;
  std::uint64_t payload_bytes_ = 0;
  Held<RequesterProfile> profile_;
  Psn initial_psn_;
  mutable WrOpcode sending_verb_ = WrOpcode::kWrite;
  mutable bool sending_solicited_ = false;
  QpState state_ = QpState::kRts;
  bool took_run_ = false;  ///< a run's packet was taken last: `taken_` is an older one's

  // What responses and the ends of messages touch.
  Time ack_deadline_ = kNever;
  Time rnr_until_ = 0;       ///< end of an RNR wait, 0 = none
  std::uint64_t asked_ = 0;  ///< behind the last packet with AckReq since the last go-back
  mutable Sending sending_;
  mutable std::uint32_t sending_index_ = UINT32_MAX;  ///< whose `sending_` is; none before the first
  std::uint32_t head_ = 0, done_ = 0, send_ = 0, limit_ = 0, tail_ = 0;

  SendQueue queue_;
  const void* maker_;  ///< none: the queue keeps requests
  std::uint64_t posted_packets_ = 0;
  std::uint64_t messages_completed_ = 0;
  Taken taken_;
  Qpn dest_qpn_;
  Qpn qpn_;
  std::uint8_t retries_used_ = 0;
  std::uint8_t rnr_retries_used_ = 0;
  Count48 ack_rx_, retransmitted_packets_, messages_failed_, timeouts_, rnr_rx_, nak_sequence_rx_,
      nak_invalid_request_rx_, nak_remote_access_rx_, nak_remote_operational_rx_, nak_invalid_rd_rx_,
      responses_ignored_;
};

inline bool Requester::ready(Time now) const {
  if (send_ == limit_ || now < rnr_until_) return false;
  if (state_ != QpState::kRts && !may_go_on()) return false;
  if (unreliable()) return true;
  // Signed: after the firmware's rewind to a message's start next_ may stand before acked_.
  return send_ - done_ < shared().window_requests &&
         static_cast<std::int64_t>(next_ - acked_) < static_cast<std::int64_t>(profile_->window_packets);
}

/// What nearly every packet of long messages is.
inline Requester::PlainPacket Requester::next_of_run() {
  const PlainPacket p{psn_of(next_), sending_offset_ + (next_ << profile_->pmtu_shift)};
  payload_bytes_ += full_payload();
  sent_ = ++next_;
  if (unreliable()) acked_ = next_;
  return p;
}

inline std::uint32_t Requester::next_transport_bytes() const {
  const Sending& s = sending();
  if (in_the_middle(s)) return static_cast<std::uint32_t>(Bth::kSize) + full_payload();
  const bool write = verb() == WrOpcode::kWrite || verb() == WrOpcode::kWriteImm;
  const bool immediate = verb() == WrOpcode::kWriteImm || verb() == WrOpcode::kSendImm;
  const auto index = static_cast<std::uint32_t>(next_ - s.first);
  const bool last = index + 1 == s.packets;
  const std::uint32_t payload = last ? s.length - (index << profile_->pmtu_shift) : full_payload();
  return static_cast<std::uint32_t>(Bth::kSize + (write && index == 0 ? Reth::kSize : 0) +
                                    (immediate && last ? ImmDt::kSize : 0)) +
         ((payload + 3) & ~3U);
}

}  // namespace softfeb::roce
