// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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
};

/// Most packets in flight: half of what 24-bit PSNs can tell from duplicates (IBA 9.7.1), so a late response
/// is never taken for a new one. An ACK is asked for at least every half of it, whatever the length of the
/// message.
inline constexpr std::uint32_t kMaxWindowPackets = 1U << 22;

struct RequesterCounters {
  // Each packet counts in the first two.
  std::uint64_t packets = 0;        ///< all that left, retransmissions included
  std::uint64_t payload_bytes = 0;  ///< of first transmissions
  std::uint64_t retransmitted_packets = 0;
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
  explicit Requester(const RequesterConfig& config);

  /// As if made anew with `config`, but for the send queue, which keeps its place and depth: nothing is
  /// allocated. What was posted is forgotten without completions. Throws as the constructor does, before
  /// anything is changed.
  void renew(const RequesterConfig& config);

  /// Queues a request. False when the send queue is full (nothing is changed). In ERR the request completes
  /// as flushed. A verb the requester does not do, or a length above kMaxMessage, completes with
  /// kLocalOperationError and moves the QP to ERR when all requests before it have completed; nothing posted
  /// after it is sent.
  bool post(const WorkRequest& request, Time now);
  /// What the next packet is made of is fetched into the cache, as far as it lies elsewhere.
  void prefetch_next() const { prefetch(&queue_[send_]); }
  bool can_post() const { return tail_ - head_ < depth_; }

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
  /// packet is one, and nothing waits to be polled; requires ready(). As long as in_run() holds, ready() does
  /// and next_of_run() gives what next() would. Everything but that, reading apart, ends it.
  bool begin_run();
  bool in_run() const { return next_ < run_end_; }
  void end_run() { run_end_ = 0; }
  struct PlainPacket {
    Psn psn = 0;
    std::uint64_t payload_offset = 0;
  };
  PlainPacket next_of_run();
  /// What all of a run's packets have in common. Requires in_run().
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
  const RequesterCounters& counters() const { return counters_; }
  const RequesterConfig& config() const { return config_; }

 private:
  Requester(const RequesterConfig& config, SendQueue&& queue);

  /// What next() gave last, and what it changed that payload_error() must undo. Not kept of a run's packet,
  /// which changed nothing but the count of packets and bytes.
  struct Taken {
    std::uint32_t index = 0;  ///< of its request
    std::uint32_t payload_length = 0;
    std::uint64_t asked_before = 0;
    Time deadline_before = kNever;
    bool first_time = false;
  };

  bool firmware() const { return timing_ == TimingProfile::kFirmware; }
  bool unreliable() const { return transport_ == Transport::kUc; }
  Psn psn_of(std::uint64_t packet) const { return psn_add(initial_psn_, static_cast<std::uint32_t>(packet)); }
  bool reported(const SendSlot& slot) const;
  bool asks_on_last() const;
  bool asks(const SendSlot& slot, std::uint64_t packet, bool on_last) const;
  RequestPacket make_packet(const SendSlot& slot, std::uint64_t packet, bool on_last) const;

  bool may_go_on() const;
  /// The next packet is neither its message's first nor its last.
  bool in_the_middle(const SendSlot& slot) const { return next_ > slot.first && next_ + 1 < slot.end(); }
  std::uint64_t run_end(const SendSlot& slot) const;

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
  void start_timer(Time now) { ack_deadline_ = saturating_add(now, ack_timeout_); }
  void count(AethKind kind);

  // Three cache lines, where the owner aligns it. Packets by their running number (SendSlot::first), requests
  // by their running index: head_ (not polled) ≤ done_ (not completed) ≤ send_ (being sent) ≤ limit_ (not to
  // be sent) ≤ tail_ (end). What responses and the ends of messages touch:
  Time ack_deadline_ = kNever;
  Time rnr_until_ = 0;  ///< end of an RNR wait, 0 = none
  Time ack_timeout_;
  std::uint64_t asked_ = 0;  ///< behind the last packet with AckReq since the last go-back
  std::uint32_t head_ = 0, done_ = 0, send_ = 0, limit_ = 0, tail_ = 0;
  std::uint32_t depth_;
  std::uint32_t window_requests_;
  std::uint32_t window_packets_;

  SendQueue queue_;
  std::uint32_t ask_mask_;  ///< AckReq on the packets before multiples of ask_mask_ + 1
  std::uint32_t ack_every_;
  Taken taken_;
  TimingProfile timing_;
  bool sq_sig_all_;
  QpState state_ = QpState::kRts;
  std::uint8_t retries_used_ = 0;
  std::uint8_t rnr_retries_used_ = 0;
  bool always_asks_;       ///< the firmware with sq_sig_all
  bool took_run_ = false;  ///< a run's packet was taken last: `taken_` is an older one's

  // What each packet of a run touches, counters_' beginning with it.
  std::uint64_t acked_ = 0;  ///< every packet before this one is acknowledged
  std::uint64_t next_ = 0;   ///< the packet to send next
  std::uint64_t sent_ = 0;   ///< every packet before this one has been sent at least once
  std::uint64_t run_end_ = 0;
  std::uint64_t run_offset_ = 0;  ///< of packet 0 in the payload stream, if the run's message had begun there
  Psn initial_psn_;
  Transport transport_;
  std::uint8_t pmtu_shift_;
  RequesterCounters counters_;

  std::uint64_t posted_packets_ = 0;
  RequesterConfig config_;
};

inline bool Requester::ready(Time now) const {
  if (send_ == limit_ || now < rnr_until_) return false;
  if (state_ != QpState::kRts && !may_go_on()) return false;
  if (unreliable()) return true;
  // Signed: after the firmware's rewind to a message's start next_ may stand before acked_.
  return send_ - done_ < window_requests_ &&
         static_cast<std::int64_t>(next_ - acked_) < static_cast<std::int64_t>(window_packets_);
}

inline Requester::PlainPacket Requester::next_of_run() {
  const PlainPacket p{psn_of(next_), run_offset_ + (next_ << pmtu_shift_)};
  ++counters_.packets;
  counters_.payload_bytes += 1U << pmtu_shift_;
  sent_ = ++next_;
  if (unreliable()) acked_ = next_;
  return p;
}

inline std::uint32_t Requester::next_transport_bytes() const {
  const SendSlot& slot = queue_[send_];
  if (in_the_middle(slot)) return static_cast<std::uint32_t>(Bth::kSize) + (1U << pmtu_shift_);
  const bool write = slot.opcode == WrOpcode::kWrite || slot.opcode == WrOpcode::kWriteImm;
  const bool immediate = slot.opcode == WrOpcode::kWriteImm || slot.opcode == WrOpcode::kSendImm;
  const auto index = static_cast<std::uint32_t>(next_ - slot.first);
  const bool last = index + 1 == slot.packets;
  const std::uint32_t payload = last ? slot.length - (index << pmtu_shift_) : 1U << pmtu_shift_;
  return static_cast<std::uint32_t>(Bth::kSize + (write && index == 0 ? Reth::kSize : 0) +
                                    (immediate && last ? ImmDt::kSize : 0)) +
         ((payload + 3) & ~3U);
}

}  // namespace softfeb::roce
