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
#include <optional>

/// lib/roce implements the RoCEv2 protocol, sans-I/O: headers, iCRC, requester, responder, notification point
/// and MAC control frames. It may include only congestion and base. Start with Requester here
/// (requester_send.cpp and requester_response.cpp), then read Responder (responder.hpp). craft.hpp builds
/// packets, frame.hpp and packet.hpp parse them, and icrc.hpp computes their checksum. The packet path does
/// not allocate.
namespace softfeb::roce {

struct RequesterConfig {
  Transport transport = Transport::kRc;
  Qpn qpn = 0;                ///< our own QPN; reported in completions
  Qpn dest_qpn = 0;           ///< the responder's QPN
  std::uint32_t pmtu = 4096;  ///< path MTU in bytes
  Psn initial_psn = 0;
  /// In the standard profile, treats every request as signaled. In the firmware profile, sets AckReq on
  /// every packet, but only signaled requests generate a completion (test/vectors/wire/flags_sq_sig_all).
  bool sq_sig_all = false;
  std::uint8_t timeout = 14;     ///< ACK timeout code 0…31, 0 = never (see ack_timeout())
  std::uint8_t retry_count = 3;  ///< 0…7; 7 means without limit
  std::uint8_t rnr_retry = 7;    ///< 0…7; 7 means without limit
  /// If true, an rnr_retry of 7 means without limit only together with a retry_count of 7, as in the 2025
  /// firmware (test/vectors/wire/rnr_retry7_*).
  bool rnr_infinite_needs_both = false;
  std::uint8_t min_rnr_timer = 1;       ///< the requester's own minimum RNR timer code, 0…31
  std::uint32_t send_queue_depth = 64;  ///< maximum number of requests posted but not polled
  std::uint32_t window_requests = 16;   ///< maximum number of requests sent but not acknowledged (RC)
  std::uint32_t window_packets = 0;     ///< maximum number of packets in flight (RC); 0 = kMaxWindowPackets
  /// If this is N, AckReq is set on every N-th packet of a message, in addition to the last packet; 0 = on
  /// the last packet only.
  std::uint32_t ack_every = 0;
  TimingProfile timing = TimingProfile::kStandard;

  auto operator<=>(const RequesterConfig&) const = default;
};

/// Maximum number of packets in flight. This number is half of the range in which a new 24-bit PSN can be
/// distinguished from a duplicate (IBA, section 9.7.1). A late response is therefore never mistaken for a new
/// response. An ACK is requested at least once every half window, regardless of message length.
inline constexpr std::uint32_t kMaxWindowPackets = 1U << 22;

/// Data shared by queue pairs with the same configuration: the configuration, in which `qpn`, `dest_qpn` and
/// `initial_psn` are 0, and values derived from it.
struct RequesterSettings {
  /// Recreates a request for a requester that does not store its requests. `maker` is the object that created
  /// the requests. `back` is 1 for the request that it created last, 2 for the one before, and so on. The
  /// result equals the posted request except for `signaled`.
  using Again = WorkRequest (*)(const void* maker, std::uint32_t back);

  /// Throws std::invalid_argument for an invalid path MTU, queue depth or window.
  explicit RequesterSettings(const RequesterConfig& config, Again again = nullptr);

  RequesterConfig config;
  Again again;  ///< if null, requesters store posted requests
  Time ack_timeout;
  std::uint32_t window_packets;
  std::uint32_t ask_mask;  ///< AckReq is set on packet n if n + 1 is a multiple of ask_mask + 1
  std::uint8_t pmtu_shift;
  bool always_asks;  ///< AckReq is set on every packet (firmware profile with sq_sig_all)
};

/// Settings that requesters can share, and memory that the owner of a requester can provide.
struct RequesterDeps {
  Held<RequesterSettings> profile;  ///< settings derived from the requester's configuration
  void* queue = nullptr;  ///< memory of SendQueue::bytes() bytes; null if the requester allocates its queue
  const void* maker = nullptr;  ///< passed to RequesterSettings::again; null if the queue stores the requests
};

struct RequesterCounters {
  std::uint64_t packets = 0;  ///< packets sent, including retransmissions
  std::uint64_t retransmitted_packets = 0;
  std::uint64_t payload_bytes = 0;       ///< payload bytes sent, without retransmissions
  std::uint64_t messages_completed = 0;  ///< requests that succeeded, signaled or not
  /// Requests that completed with a status other than kSuccess, including flushed requests.
  std::uint64_t messages_failed = 0;
  std::uint64_t timeouts = 0;
  /// Each counter from `ack_rx` to `nak_invalid_rd_rx` counts all responses of its type, including ignored
  /// responses.
  std::uint64_t ack_rx = 0;
  std::uint64_t rnr_rx = 0;
  std::uint64_t nak_sequence_rx = 0;
  std::uint64_t nak_invalid_request_rx = 0;
  std::uint64_t nak_remote_access_rx = 0;
  std::uint64_t nak_remote_operational_rx = 0;
  std::uint64_t nak_invalid_rd_rx = 0;
  /// Responses with a duplicate, old or future PSN or a reserved syndrome, and NAKs without new information.
  std::uint64_t responses_ignored = 0;

  RequesterCounters& operator+=(const RequesterCounters& other);
};

/// The send half of a queue pair: turns work requests into packets and responses into completions, with
/// go-back-N (IBA, sections 9.7.5–9.7.7, and C9-128 ff.). Sans-I/O: no clock, no allocation after
/// construction, not thread-safe. See doc/retransmission.md.
///
/// Usage: call post(); while ready(now), send the packet that next(now) returns; call on_response() for every
/// acknowledgement and on_timer() when `now` reaches deadline(); poll() completions, which are returned in
/// posting order.
class Requester {
 public:
  /// The requester starts in state RTS. Throws std::invalid_argument for an invalid path MTU, queue depth or
  /// window.
  explicit Requester(const RequesterConfig& config)
      : Requester(config, {Held<RequesterSettings>(RequesterSettings(config))}) {}
  /// The memory that `parts` refers to but does not own must outlive the requester.
  Requester(const RequesterConfig& config, RequesterDeps&& parts);
  Requester(Requester&&) noexcept = default;

  /// Resets the requester as if constructed with `config`, but keeps the memory and depth of the send queue.
  /// Allocates nothing if the requester owns its profile. Posted requests are dropped without completions.
  /// Throws the same exceptions as the constructor, before anything is changed.
  void renew(const RequesterConfig& config);

  /// Queues a request. Returns false and changes nothing if the send queue is full. In ERR, the request
  /// completes as flushed. A request with an unsupported verb or a length above kMaxMessage completes with
  /// kLocalOperationError and moves the QP to ERR once all earlier requests have completed. If no ACK is
  /// expected that would complete these earlier requests, they are flushed. Requests posted after such a
  /// request are not sent.
  bool post(const WorkRequest& request, Time now);
  bool can_post() const { return tail_ - head_ < queue_.depth(); }

  /// True if there is a packet to send, and the window, the RNR wait and the state permit sending it at
  /// `now`.
  bool ready(Time now) const;
  /// Returns the packet that next() would return, but does not remove it. Requires ready().
  RequestPacket peek() const;
  /// Size of the packet that next() would return, from BTH to pad, in bytes. Requires ready().
  std::uint32_t next_transport_bytes() const;
  /// Removes and returns the next packet, to be sent at `now`. Requires ready(). If `ask` is true, the packet
  /// always requests an ACK (RC only).
  RequestPacket next(Time now, bool ask = false);

  /// Enters the fast path (a "run", see doc/engine.md) if the next packet qualifies and all completions have
  /// been polled. Returns true if a run has begun. All packets of a run are in the middle of a message and
  /// differ only in PSN and payload. They are sent for the first time and do not request an ACK. They do not
  /// begin or complete a request, and do not start a timer.
  ///
  /// While in_run() is true, ready() is true as well, and next_of_run() is equivalent to next(). Any other
  /// call that changes the requester ends the run.
  bool begin_run();
  /// Quick check before begin_run(): if it returns false, calling begin_run() is not worthwhile.
  bool may_begin_run() const { return sending_index_ == send_ && in_the_middle(sending_); }
  bool in_run() const { return next_ < run_end_; }
  void end_run() { run_end_ = 0; }
  /// True if more than `packets` packets of the run are left.
  bool runs_beyond(std::uint32_t packets) const { return next_ + packets < run_end_; }
  struct PlainPacket {
    Psn psn = 0;
    std::uint64_t payload_offset = 0;
  };
  PlainPacket next_of_run();
  /// Returns a packet with the fields that all packets of the run have in common. These are all fields except
  /// PSN and payload offset. Requires in_run().
  RequestPacket run_packet() const;
  /// Call if the last packet that next() or next_of_run() returned was not sent because its payload is not
  /// available. The packet's request fails with kLocalOperationError and the QP enters ERR once all earlier
  /// requests have completed. If no ACK is expected that would complete these earlier requests, they are
  /// flushed and the QP enters ERR at once.
  void payload_error(Time now);

  /// Handles a well-formed acknowledgement for this QP. The caller must have verified its iCRC and peer.
  void on_response(const Aeth& aeth, Psn psn, Time now);
  /// Handles a request to resend packets that does not come as a NAK. The receiver has accepted every packet
  /// before `psn`, and requests packet `psn` and all following packets again. The request is ignored if `psn`
  /// is not in flight, or if an RNR wait is in progress and `psn` is the first unacknowledged packet.
  void on_resend_request(Psn psn, Time now);
  /// Handles a response of a type that our requests cannot cause (is_foreign_response()). If `psn` is in
  /// flight, the packets before it are acknowledged, the request of packet `psn` fails with kBadResponse, and
  /// the QP enters ERR.
  void on_bad_response(Psn psn, Time now);

  /// Earliest time at which on_timer() must be called; kNever if neither the ACK timer nor an RNR wait is
  /// running.
  Time deadline() const { return rnr_until_ == 0 ? ack_deadline_ : std::min(ack_deadline_, rnr_until_); }
  void on_timer(Time now);
  /// Prefetches the data that deadline() reads.
  void prefetch_deadline() const { prefetch(&ack_deadline_); }
  /// Prefetch send queue slots. prefetch_sending() prefetches the slot of the request being sent, and
  /// prefetch_completing() prefetches the slot of the oldest request that has not completed.
  void prefetch_sending() const { queue_.prefetch(send_); }
  void prefetch_completing() const { queue_.prefetch(done_); }

  /// Stores the next completion, in posting order, in `out`. Returns false if there is none. Skips unsignaled
  /// requests that succeeded.
  bool poll(Completion& out);

  /// Supported transitions: RTS ↔ SQD (in SQD, messages in progress continue and other requests wait), and
  /// any state → ERR (all unfinished requests complete as flushed). In all states except RTS and SQD, nothing
  /// is sent. A QP leaves ERR only through renew() or by constructing a new requester.
  void set_state(QpState state, Time now);
  QpState state() const { return state_; }

  /// Number of requests posted but not completed.
  std::uint32_t outstanding() const { return tail_ - done_; }
  bool idle() const { return outstanding() == 0; }
  /// True if all completions were polled.
  bool reaped() const { return head_ == done_; }
  /// Number of requests with packets still to be sent, including those to be resent after a go-back.
  std::uint32_t unsent() const { return tail_ - send_; }
  /// PSN of the next packet to be sent for the first time.
  Psn next_psn() const { return psn_of(sent_); }
  /// PSN of the last packet of the newest request.
  Psn last_posted_psn() const { return psn_of(posted_packets_ - 1); }
  /// PSN of the last packet of the request that is being sent. Requires that next() has returned the first
  /// packet of this request, but not yet the last.
  Psn last_sending_psn() const { return psn_of(sending().end() - 1); }
  /// PSN of the last packet of a completed request; `back` is 1 for the request that completed last, 2 for
  /// the one before it, and so on. Empty if the request is no longer in the queue.
  std::optional<Psn> last_completed_psn(std::uint32_t back) const {
    const std::uint32_t index = done_ - back;
    if (tail_ - index > queue_.depth()) return std::nullopt;
    return psn_of(end_of(index) - 1);
  }
  /// Positions in the sequence of packets. Packets are numbered from 0.
  struct Progress {
    std::uint64_t acked = 0;    ///< every packet before this one is acknowledged
    std::uint64_t next = 0;     ///< the packet to send next; may be less than `sent` after a go-back
    std::uint64_t sent = 0;     ///< every packet before this one has been sent at least once
    std::uint32_t request = 0;  ///< index of the oldest request that is not complete
  };
  /// True if a packet in flight requests an acknowledgement.
  bool awaits_ack() const { return acked_ < asked_; }
  Progress progress() const { return {acked_, next_, sent_, done_}; }
  /// Number of the packet to be sent next, counted from 0.
  std::uint64_t next_packet() const { return next_; }
  /// Number of the packet that has this PSN and is nearest to the first unacknowledged packet; negative if
  /// this would be before packet 0.
  std::int64_t packet_of(Psn psn) const {
    return static_cast<std::int64_t>(acked_) + psn_diff(psn & kPsnMask, psn_of(acked_));
  }
  /// Size in bytes of the packets from `before.acked` up to, but not including, `end`, each from BTH to pad.
  /// Neither post() nor poll() may have been called since `before` was taken.
  std::uint64_t transport_bytes(const Progress& before, std::uint64_t end) const;
  /// Size of a packet in the middle of a message, from BTH to pad.
  std::uint32_t middle_bytes() const { return static_cast<std::uint32_t>(Bth::kSize) + full_payload(); }
  RequesterCounters counters() const;
  /// Members of counters() that are read often.
  std::uint64_t messages_completed() const { return messages_completed_; }
  std::uint64_t timeouts() const { return timeouts_; }
  RequesterConfig config() const;
  Qpn qpn() const { return qpn_; }
  Qpn dest_qpn() const { return dest_qpn_; }
  std::uint32_t send_queue_depth() const { return queue_.depth(); }

 private:
  Requester(const RequesterConfig& config, Held<RequesterSettings>&& profile, SendQueue&& queue,
            const void* maker);
  Requester& operator=(Requester&&) noexcept = default;

  /// Cached fields of the request being sent, read once from the queue or the maker.
  struct Sending {
    std::uint64_t first = 0;
    /// Number of packets; 0 if the request cannot be sent (unsupported verb or length above kMaxMessage).
    std::uint32_t packets = 0;
    std::uint32_t length = 0;

    std::uint64_t end() const { return first + packets; }
  };

  /// Describes the last call to next(), so that payload_error() can undo it. Not stored for the packets of a
  /// run, because such a packet changes only packet and byte counts.
  struct Taken {
    std::uint32_t asked_before = 0;  ///< previous value of asked_, modulo 2^32
    std::uint32_t index = 0;         ///< index of the packet's request
    std::uint16_t payload_length = 0;
    bool first_time = false;
    bool started_timer = false;
  };

  /// Requires send_ != limit_.
  const Sending& sending() const {
    if (sending_index_ != send_) take_up();
    return sending_;
  }
  void take_up() const;
  WrOpcode verb() const { return sending_verb_; }
  /// Returns the request as it was posted. Its `signaled` may differ; the slot stores the posted value.
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
  /// True if the next packet is neither the first nor the last of its message.
  bool in_the_middle(const Sending& s) const { return next_ > s.first && next_ + 1 < s.end(); }
  std::uint32_t edge_transport_bytes(const Sending& s) const;
  std::uint64_t run_end() const;

  void finish(std::uint32_t index, WcStatus status);
  void pass_unreported();
  void complete_acknowledged();
  void fail(std::uint32_t index, WcStatus status);
  void complete_local_error();

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

  // These members occupy four cache lines if the owner aligns the object. Packets are identified by
  // consecutive numbers (Sending::first), requests by consecutive indices. The following always holds: head_
  // (first request not polled) ≤ done_ (first not completed) ≤ send_ (being sent) ≤ limit_ (first that must
  // not be sent) ≤ tail_ (end).
  //
  // First line: members used by every packet of a run.
  std::uint64_t acked_ = 0;  ///< every packet before this one is acknowledged
  std::uint64_t next_ = 0;   ///< the packet to send next
  std::uint64_t sent_ = 0;   ///< every packet before this one has been sent at least once
  std::uint64_t run_end_ = 0;
  /// Stream offset of a packet's payload, minus the number of the packet times the path MTU (modulo 2^64).
  /// This difference is the same for all packets of the message being sent.
  mutable std::uint64_t sending_offset_ = 0;
  std::uint64_t payload_bytes_ = 0;
  Held<RequesterSettings> profile_;
  Psn initial_psn_;
  mutable WrOpcode sending_verb_ = WrOpcode::kWrite;
  mutable bool sending_solicited_ = false;
  QpState state_ = QpState::kRts;
  bool took_run_ = false;  ///< the last packet was part of a run, so `taken_` is outdated

  // Second line: members used by responses and at message boundaries.
  Time ack_deadline_ = kNever;
  Time rnr_until_ = 0;  ///< end of the RNR wait, 0 = none
  /// One more than the number of the last packet sent with AckReq since the last go-back.
  std::uint64_t asked_ = 0;
  mutable Sending sending_;
  mutable std::uint32_t sending_index_ = UINT32_MAX;  ///< index of the request that `sending_` describes
  std::uint32_t head_ = 0, done_ = 0, send_ = 0, limit_ = 0, tail_ = 0;

  SendQueue queue_;
  const void* maker_;  ///< null if the queue stores the requests
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
  // The difference is signed, because next_ may be less than acked_: in the firmware profile, a requester
  // goes back to the first packet of a request, even if the peer has acknowledged part of it.
  return send_ - done_ < shared().window_requests &&
         static_cast<std::int64_t>(next_ - acked_) < static_cast<std::int64_t>(profile_->window_packets);
}

/// Nearly all packets of a long message take this path.
inline Requester::PlainPacket Requester::next_of_run() {
  const PlainPacket p{psn_of(next_), sending_offset_ + (next_ << profile_->pmtu_shift)};
  payload_bytes_ += full_payload();
  sent_ = ++next_;
  if (unreliable()) acked_ = next_;
  return p;
}

inline std::uint32_t Requester::next_transport_bytes() const {
  const Sending& s = sending();
  if (in_the_middle(s)) return middle_bytes();
  return edge_transport_bytes(s);
}

}  // namespace softfeb::roce
