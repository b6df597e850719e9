// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/held.hpp"
#include "base/prefetch.hpp"
#include "base/time.hpp"
#include "engine/congestion.hpp"
#include "engine/flight.hpp"
#include "engine/pacer.hpp"
#include "engine/traffic.hpp"
#include "engine/tx_frame.hpp"
#include "roce/congestion_header.hpp"
#include "roce/middle_frame.hpp"
#include "roce/path.hpp"
#include "roce/payload.hpp"
#include "roce/requester.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

namespace softfeb::engine {

struct SendQpConfig {
  roce::RequesterConfig requester;
  /// Path to the peer. If `peer_mac` is not set, the destination MAC address is filled in when it has been
  /// resolved.
  roce::Path path;
  std::optional<roce::MacAddress> peer_mac;
  std::uint16_t pkey = roce::kDefaultPkey;
  const roce::PayloadStream* payload = nullptr;  ///< must outlive the board
  /// Use the payload CRCs that the stream has precomputed, if any.
  bool known_crc = true;
  TrafficConfig traffic;
  CongestionSettings congestion;
  /// QPs of a board with the same group number share one congestion control, which has the configuration of
  /// the first of these QPs. If this is empty, the QP has its own congestion control.
  std::optional<std::uint32_t> congestion_group;
  /// Random message lengths or arrivals; null if neither is random.
  std::shared_ptr<const MessageTimesConfig> times;
  /// Time from the start of the board to the start of this QP's traffic. If the delays of all queue pairs
  /// were equal, queue pairs with the same rate would stay in phase: all of them would send at the same
  /// moments, in bursts.
  Time start_after = 0;
};

/// Counters of a sending QP in addition to the counters of its requester.
struct SendQpCounters {
  /// Bytes sent, as counted by congestion control: BTH through pad, including retransmissions.
  std::uint64_t counted_bytes = 0;
  Time first_sent = kNever;
  std::uint64_t cnp_rx = 0;
  /// Number of completions polled. Signaled requests and failed requests generate a completion.
  std::uint64_t completions = 0;
  std::uint64_t completions_out_of_order = 0;  ///< self-check: a value other than 0 means a bug in softfeb
  std::uint64_t completed_bytes = 0;           ///< payload bytes of successful polled completions
  Time last_completed = 0;
};

/// External storage for parts of a queue pair, used when many queue pairs are stored together. It must
/// outlive the queue pair. Unless noted otherwise, the queue pair allocates its own storage for each null
/// member that it needs.
struct SendQpDeps {
  roce::RequesterSettings* requester = nullptr;  ///< built from requester_config() and request_again()
  /// Built from SendQpConfig::traffic. Must be null if SendQpConfig::times is set.
  TrafficSettings* traffic = nullptr;
  void* queue = nullptr;     ///< send_queue_bytes() bytes
  Pacer* pacer = nullptr;    ///< room for one Pacer if needs_pacer()
  void* tracker = nullptr;   ///< room for one FlightTracker if needs_tracker()
  Flight* flight = nullptr;  ///< flight of the QP's congestion group; null if the QP has its own flight
  std::uint64_t* posted = nullptr;  ///< number of messages posted on the board; null if not counted
  std::uint16_t cc_port = 0;  ///< UDP port of packets with a congestion control header; 0 if none are sent
};

/// A sending queue pair: requester, path, payload, traffic and pacing. Owned by its board; must not move.
class alignas(64) SendQp {
 public:
  /// `congestion` may be null and may be shared with other QPs; it must outlive the QP.
  SendQp(const SendQpConfig& config, congestion::CongestionControl* congestion, const SendQpDeps& deps = {});
  SendQp(const SendQp&) = delete;
  SendQp& operator=(const SendQp&) = delete;

  /// requester_config() returns the configuration of the requester. request_again() returns the function that
  /// regenerates requests for retransmission, or null if requests do not come from the QP's traffic.
  static roce::RequesterConfig requester_config(const SendQpConfig& config);
  static roce::RequesterSettings::Again request_again(const SendQpConfig& config);
  /// Size of the send queue in bytes.
  static std::size_t send_queue_bytes(const SendQpConfig& config);
  /// True if the QP has a constant rate.
  static bool needs_pacer(const SendQpConfig& config);
  /// True if the QP is RC and its congestion control observes acknowledgements or has a window.
  static bool needs_tracker(const SendQpConfig& config);

  /// Call when the board starts at `now`. Returns the time at which the schedule of this QP begins.
  Time start(Time now);
  /// Stops traffic. In an open loop, messages that have arrived by `now` are still sent.
  void stop_traffic(Time now) { traffic_.stop_arrivals(now); }
  /// Stops traffic, and drops the backlog of an open loop.
  void drop_traffic() { traffic_.stop(); }
  /// True if congestion control has failed, but requests are not flushed yet.
  bool uncontrolled() const {
    return congestion_ != nullptr && congestion_->failed() && requester_.state() != roce::QpState::kErr;
  }
  /// Flushes all requests if congestion control has failed.
  void stop_if_uncontrolled(Time now) {
    if (uncontrolled()) requester_.set_state(roce::QpState::kErr, now);
  }
  void set_dest_mac(const roce::MacAddress& mac);
  void set_traffic_class(std::uint8_t dscp, roce::Ecn ecn) { headers_.set_traffic_class(dscp, ecn); }
  bool resolved() const { return flags_.resolved; }
  const roce::HeaderTemplate& headers() const { return headers_; }

  /// Sets a new path. Packets wait until set_dest_mac() is called.
  void set_path(const roce::Path& path);
  /// Removes the path. Packets wait for a new one.
  void clear_path();
  /// Resets the QP as if newly constructed with this configuration, except for the depth of the send queue.
  /// Outstanding requests are discarded, and the requester's counters restart at 0. Path, congestion control,
  /// pacing and counters() are kept.
  void renew(const roce::RequesterConfig& config, std::uint16_t pkey);

  /// Posts the messages that are due, while there is room.
  void post_due(Time now) {
    if (now >= starts_at_ && (flags_.timed || may_post())) post_all_due(now);
  }
  /// True if a request may be posted: at most one message is kept ahead of the message that is being sent.
  /// With MessageTimesConfig::shared_arrivals, the QP must be idle.
  bool may_post() const {
    return requester_.can_post() && requester_.unsent() < 2 && !(one_at_a_time() && !requester_.idle());
  }
  /// Posts a request from a source other than the QP's traffic. Requires may_post(). `due` is the time at
  /// which the request was due, or the time of the trigger that caused it.
  void post(const roce::WorkRequest& request, Time now, Time due);
  /// Time at which this QP may send its next packet; kNever if there is no next packet, or if it must wait
  /// for an acknowledgement, credit, a timer or address resolution. Call post_due() first.
  Time departure(Time now) const {
    const bool ready = requester_.ready(now);
    const Time own = own_departure(now, ready);
    if (congestion_ == nullptr || own > now || !ready) return own;
    if (closed()) return kNever;
    return std::max(own, congestion_->departure(requester_.next_transport_bytes(), now));
  }
  /// Departure time without regard to congestion control, which may be shared with other QPs.
  Time own_departure(Time now) const { return own_departure(now, requester_.ready(now)); }
  /// True if there is a packet and departure(now) ≤ now.
  bool may_send(Time now) const {
    if (!resolved() || now < starts_at_ || !requester_.ready(now)) return false;
    if (flags_.packets_paced && pacer_->departure() > now) return false;
    if (congestion_ == nullptr) return true;
    return !closed() && congestion_->departure(requester_.next_transport_bytes(), now) <= now;
  }
  /// Builds the next packet, and sets `next` to the value that departure(now) has after this packet. Requires
  /// may_send(). Returns false if the payload source failed; the request then fails
  /// (Requester::payload_error()).
  bool craft(Time now, std::uint16_t identification, TxFrame& out, Time& next);
  /// Begins a run for the fast path: consecutive packets in the middle of a message (Requester::begin_run).
  /// Between the packets of a run there is nothing to post and nothing to reap, and finished() does not
  /// change. Returns false if the next packet cannot be part of a run. Call post_due() first.
  bool begin_run() { return requester_.may_begin_run() && make_run(); }
  /// True if a run is in progress, its next packet may leave, and no message has to be posted before it.
  bool may_go_on(Time now) const {
    if (!requester_.in_run() || now >= run_until_) return false;
    if (flags_.packets_paced && pacer_->departure() > now) return false;
    if (congestion_ == nullptr) return true;
    return !asks_next_in_run() && congestion_->departure(middle_.transport_bytes(), now) <= now;
  }
  /// Like craft(), for a packet of a run. Requires may_go_on(), or may_send() and a run that has just begun.
  bool craft_of_run(Time now, std::uint16_t identification, TxFrame& out, Time& next);
  /// Call after craft(), with the `next` that it set. Returns true if the next packet may leave immediately.
  /// In this case, also completes the work for the previous packet: counts completions and posts messages
  /// that are due. The queue pair has not finished if the result is true, because it has a packet to send.
  bool may_follow(Time next, Time now) {
    if (next > now || !requester_.ready(now)) return false;
    reap(now);
    post_due(now);
    return true;
  }
  /// Polls and counts completions.
  void reap(Time now) {
    const bool same = static_cast<std::uint32_t>(requester_.messages_completed()) == completed_;
    if (same && requester_.reaped() && requester_.state() != roce::QpState::kErr) return;
    reap_all(now);
  }

  bool finished() const { return traffic_.finished() && requester_.idle(); }
  /// Flag owned by the board: the board counts this QP as finished.
  bool counts_finished() const { return flags_.counts_finished; }
  void count_finished(bool finished) { flags_.counts_finished = finished; }
  /// Flag owned by the board: a response was received and the QP must still be rescheduled.
  bool reschedule_pending() const { return flags_.reschedule_pending; }
  void set_reschedule_pending(bool pending) { flags_.reschedule_pending = pending; }

  roce::Requester& requester() { return requester_; }
  const roce::Requester& requester() const { return requester_; }
  const Traffic& traffic() const { return traffic_; }
  /// Number of messages that the traffic of the QP generated, plus requests posted with post().
  std::uint64_t messages_made() const { return traffic_.made(); }
  /// Returns the unspecified address after clear_path().
  roce::IpAddress peer() const { return flags_.has_peer ? headers_.dest_ip() : roce::IpAddress{}; }
  SendQpCounters counters() const;
  /// Processes a CNP. Returns true if it was passed to congestion control.
  bool on_cnp(Time now);
  /// Processes a response. `echo` is the congestion control header that the response returned, if there is
  /// one.
  void on_response(const roce::Aeth& aeth, roce::Psn psn, const roce::CongestionHeader* echo, Time now);
  /// Processes a response that our requests cannot have caused; see Requester::on_bad_response().
  void on_bad_response(roce::Psn psn, Time now);
  /// Call when the receiver granted packets. Ignored if congestion control does not use grants.
  void on_grant(const roce::CreditBody& grant, Time now);
  /// Call when the receiver repeats a grant and requests packets that have not arrived. Returns true if the
  /// first of these packets has not been sent yet; the receiver must then be sent a BUSY.
  bool on_resend(const roce::CreditBody& request, Time now);
  /// Writes the BUSY that answers `request`.
  void write_busy(const roce::CreditBody& request, std::uint16_t identification, TxFrame& out) const;
  /// True if congestion control ranks queue pairs.
  bool ranked() const { return congestion_ != nullptr && congestion_->uses(congestion::kRank); }
  /// True if congestion control chooses the rank, the priority or the credit of each packet.
  bool controls_each_packet() const {
    return congestion_ != nullptr &&
           congestion_->uses(congestion::kRank | congestion::kPriority | congestion::kCredit);
  }
  /// Rank among the queue pairs that are ready to send; see CongestionControl::rank().
  std::uint64_t rank() const { return congestion_->rank(requester_.next_packet()); }
  void on_timer(Time now);
  /// Time at which to call on_timer(); kNever if no timer is running.
  Time deadline() const {
    const Time own = requester_.deadline();
    return congestion_ == nullptr ? own : std::min(own, congestion_->timer());
  }
  congestion::CongestionControl* congestion() const { return congestion_; }
  /// Expiry time of the congestion control's timer, which deadline() takes into account.
  Time congestion_timer() const { return congestion_ == nullptr ? kNever : congestion_->timer(); }
  /// Status of the first request that failed since construction or renew(), if any.
  std::optional<roce::WcStatus> failure() const {
    if (flags_.failure == 0) return std::nullopt;
    return static_cast<roce::WcStatus>(flags_.failure);
  }
  /// Payload bytes of the messages that the traffic of the QP generated and that completed successfully.
  std::uint64_t completed_payload_bytes() const;
  Time given_up() const { return pacer_ ? pacer_->given_up() : 0; }
  /// Maximum number of outstanding requests: the depth of the send queue.
  static std::uint32_t send_queue_needed(const SendQpConfig& config);

  /// Prefetches the data of the next packets in stages. First stage: the first cache line.
  void prefetch() const { softfeb::prefetch(this, 1); }
  /// Second stage: the other cache lines that a packet of a run uses, and the first lines of the congestion
  /// control if it directly follows the queue pair in memory.
  void prefetch_run() const { softfeb::prefetch(&headers_, kHotLines + 2); }
  /// Third stage, before the end of a run: the remaining cache lines, which the full path uses.
  void prefetch_full() const {
    softfeb::prefetch(reinterpret_cast<const std::byte*>(this) + 64, sizeof *this / 64 - kHotLines - 1);
  }
  /// Prefetches the pointer to the FlightTracker, which every packet uses if there is one.
  void prefetch_tracker_place() const { softfeb::prefetch(&tracker_); }
  /// True if one of the next `packets` packets begins or ends a message, or if the next one requests an
  /// acknowledgement for congestion control. Such packets take the full path.
  bool run_ends_within(std::uint32_t packets) const {
    return !requester_.runs_beyond(packets) || asks_next_in_run();
  }
  /// True if packets are paced at a constant rate. prefetch_pacer_place() prefetches the pointer to the
  /// pacer, and prefetch_pacer() the pacer.
  bool paces_packets() const { return flags_.packets_paced; }
  void prefetch_pacer_place() const { softfeb::prefetch(&pacer_); }
  void prefetch_pacer() const { softfeb::prefetch(pacer_.get(), 2); }
  /// Prefetches the whole queue pair, for a response that may start the next message.
  void prefetch_response() const { softfeb::prefetch(this, sizeof *this / 64 + 1); }
  /// Prefetches the data needed by deadline().
  void prefetch_deadline() const {
    requester_.prefetch_deadline();
    // Also prefetches the first line of the congestion control if it directly follows the queue pair.
    softfeb::prefetch(&congestion_, 2);
  }

 private:
  /// Builds the next packet, without a congestion control header. Returns the number of its bytes that
  /// congestion control counts; 0 if the payload source failed.
  std::uint32_t write(Time now, std::uint16_t identification, TxFrame& out);
  [[gnu::noinline]] bool prepare_tracked();
  void post_all_due(Time now);
  // Times of messages (lib/latency).
  latency::MessageKey stamped(roce::Psn last_psn) const;
  void stamp_posted(Time due, Time now);
  [[gnu::noinline]] void stamp_packet(const roce::RequestPacket& packet, TxFrame& out, Time now);
  [[gnu::noinline]] void stamp_completed(std::uint32_t messages, Time now);
  bool make_run();
  /// True if the window of congestion control is closed, or if there is no credit for the next packet.
  bool closed() const { return flags_.tracked && closed_for_tracked(); }
  // Not inlined, so that queue pairs without a tracker do not pay for it.
  [[gnu::noinline]] bool closed_for_tracked() const;
  /// True if there is no credit for the packet that comes `ahead` packets after the next packet. 0 means the
  /// next packet itself.
  bool needs_credit(std::uint64_t ahead) const {
    if (!congestion_->uses(congestion::kCredit)) return false;
    const std::uint64_t next = requester_.next_packet();
    return next + ahead >= congestion_->credit(next);
  }
  void report_posted(std::uint32_t length, Time now) {
    if (flags_.tracked && congestion_->uses(congestion::kOnPosted))
      congestion_->posted(length, tracker_->take_order(), now);
  }
  /// True if the next packet must request an acknowledgement for congestion control. Such a packet cannot be
  /// part of a run. Requires that the next packet is in the middle of a message. If the result is false, the
  /// window of congestion control is open.
  bool asks_next_in_run() const {
    return flags_.tracked && tracker_->asks(requester_.middle_bytes(), congestion_->window());
  }
  void report_sent(bool first_time, bool asked, std::uint32_t counted, Time now);
  /// Argument of report_progress() that describes a received response. The default values describe a timeout.
  struct Response {
    bool ack = false;  ///< the response was an ACK
    const roce::CongestionHeader* echo = nullptr;
  };
  void report_progress(const roce::Requester::Progress& before, const Response& response, Time now);
  void add_congestion_header(TxFrame& out, Time now) const;
  roce::PacketPayload payload_at(std::uint64_t offset, std::uint32_t length) const {
    if (flags_.known_crc) return payload_->packet(offset, length);
    return {payload_->bytes(offset, length), {}};
  }
  /// Accounts for a sent packet in the pacer.
  void pace(std::uint32_t payload, Time now) {
    if (flags_.packets_paced) pace_packet(payload, now);
  }
  void pace_packet(std::uint32_t payload, Time now);
  /// Like own_departure(now), but without calling requester_.ready(now), whose result is `ready`.
  Time own_departure(Time now, bool ready) const {
    if (!resolved()) return kNever;
    if (now < starts_at_) return starts_at_;
    return departure_behind(ready);
  }
  /// Like own_departure(), for use after a packet was sent: the QP then has a peer and its traffic has
  /// started.
  Time departure_behind(bool ready) const {
    if (ready) return flags_.packets_paced ? pacer_->departure() : 0;
    // Nothing to send: wait for the next message if it can be posted, otherwise for a completion.
    return may_post() ? due() : kNever;
  }
  Time tell_sent(std::uint32_t counted, Time now);
  void reap_all(Time now);

  /// True if messages are paced, not packets.
  bool by_message() const { return pacer_ && !flags_.packets_paced; }
  bool one_at_a_time() const { return flags_.timed && traffic_.times()->one_at_a_time(); }
  /// Time at which the next message may be posted; kNever if there is none.
  Time due() const {
    if (traffic_.finished()) return kNever;
    if (flags_.timed) return traffic_.times()->due();
    if (traffic_.held()) return traffic_.progress()->retry_at();
    return by_message() ? pacer_->departure() : 0;
  }

  static constexpr std::uint16_t kManySampled = 0xffff;

  /// Number of cache lines at the end of the object that every packet of a run uses.
  static constexpr unsigned kHotLines = 2;

  struct Flags {
    bool known_crc : 1;
    bool resolved : 1;
    bool has_sent : 1;
    bool has_peer : 1;
    bool packets_paced : 1;
    bool by_bytes : 1;
    bool counts_finished : 1;
    bool reschedule_pending : 1;
    bool timed : 1;             ///< the QP has random message lengths or arrivals
    bool tracked : 1;           ///< the QP has a FlightTracker
    bool has_cch : 1;           ///< requests have a congestion control header
    std::uint16_t failure : 5;  ///< WcStatus of the first request that failed; 0 if none has
  };

  // A packet of a run uses the first cache line, which is the requester's, and the last two. The members
  // between them are accessed once per message, or rarely.
  roce::Requester requester_;
  Traffic traffic_;
  Time starts_at_ = kNever;
  Held<FlightTracker> tracker_;
  Held<Pacer> pacer_;  ///< paces packets or messages (see RateKind); empty if the QP has no rate
  std::uint64_t completions_ = 0;
  std::uint64_t completed_bytes_ = 0;
  std::uint64_t next_completion_ = 0;
  Time last_completed_ = 0;
  Time first_sent_ = kNever;
  std::uint64_t cnp_rx_ = 0;
  Time start_after_;
  std::uint16_t completions_out_of_order_ = 0;  ///< saturates at 65,535
  /// Number of outstanding messages whose times are recorded. If it is kManySampled, the number has reached
  /// this limit and is no longer known.
  std::uint16_t sampled_ = 0;
  std::uint32_t completed_ = 0;  ///< completions seen by reap(), modulo 2^32

  alignas(64) roce::HeaderTemplate headers_;
  Flags flags_{};
  std::uint16_t pkey_;
  congestion::CongestionControl* congestion_;
  const roce::PayloadStream* payload_;
  std::uint64_t counted_bytes_ = 0;
  Time run_until_ = kNever;   ///< time at which a message must be posted, which ends the fast path
  roce::MiddleFrame middle_;  ///< built from headers_, for the packets of a run
};

}  // namespace softfeb::engine
