// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/held.hpp"
#include "base/prefetch.hpp"
#include "base/time.hpp"
#include "engine/congestion.hpp"
#include "engine/pacer.hpp"
#include "engine/traffic.hpp"
#include "engine/tx_frame.hpp"
#include "roce/middle_frame.hpp"
#include "roce/path.hpp"
#include "roce/payload.hpp"
#include "roce/requester.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace softfeb::engine {

struct SendQpConfig {
  roce::RequesterConfig requester;
  roce::Path path;  ///< the destination MAC is filled in when it is resolved, unless `peer_mac` gives it
  std::optional<roce::MacAddress> peer_mac;
  std::uint16_t pkey = roce::kDefaultPkey;
  const roce::PayloadStream* payload = nullptr;  ///< outlives the board
  bool known_crc = true;                         ///< use prepared payload CRCs where the stream has them
  TrafficConfig traffic;
  CongestionProfile congestion;
  /// QPs of a board with the same number share one congestion control (the first one's profile); none: its
  /// own.
  std::optional<std::uint32_t> congestion_group;
  /// Its traffic begins so much after its board's. Queue pairs of one rate that begin together would send
  /// together ever after: a burst as long as there are many of them, once an interval.
  Time start_after = 0;
};

/// Counters of a sending QP besides its requester's.
struct SendQpCounters {
  /// Sent, as congestion control counts them: BTH to pad, retransmissions too.
  std::uint64_t counted_bytes = 0;
  Time first_sent = kNever;
  std::uint64_t cnp_rx = 0;
  std::uint64_t completions = 0;               ///< polled: signaled ones and failures
  std::uint64_t completions_out_of_order = 0;  ///< never, unless softfeb is wrong: a check of itself
  std::uint64_t completed_bytes = 0;           ///< of polled completions with success
  Time last_completed = 0;
};

/// What a queue pair need not have by itself, where many of them are kept together; it outlives them.
struct SendQpParts {
  roce::RequesterProfile* requester = nullptr;  ///< requester_profile() of its configuration
  TrafficProfile* traffic = nullptr;            ///< of its configuration
  void* queue = nullptr;                        ///< send_queue_bytes() of room
  Pacer* pacer = nullptr;                       ///< room for one, where needs_pacer()
};

/// A queue pair that sends: requester, path, payload, traffic and pacing. Owned by its board; stays where it
/// is made.
class alignas(64) SendQp {
 public:
  /// `congestion` may be null; it outlives the QP, and other QPs may share it. What `parts` do not give is
  /// its own.
  SendQp(const SendQpConfig& config, dcqcn::CongestionControl* congestion, const SendQpParts& parts = {});
  SendQp(const SendQp&) = delete;
  SendQp& operator=(const SendQp&) = delete;

  /// What requesters are configured with for it, and whether its requests are made by its traffic.
  static roce::RequesterConfig requester_config(const SendQpConfig& config);
  static roce::RequesterProfile::Again request_again(const SendQpConfig& config);
  /// Bytes of its send queue.
  static std::size_t send_queue_bytes(const SendQpConfig& config);
  /// Whether it has a constant rate.
  static bool needs_pacer(const SendQpConfig& config);

  /// The board starts at `now`; gives when the schedule of this QP begins.
  Time start(Time now);
  void stop_traffic() { traffic_.stop(); }
  void set_dest_mac(const roce::MacAddress& mac);
  void set_traffic_class(std::uint8_t dscp, roce::Ecn ecn) { headers_.set_traffic_class(dscp, ecn); }
  bool resolved() const { return flags_.resolved; }
  const roce::HeaderTemplate& headers() const { return headers_; }

  /// Another way to another peer: packets wait for set_dest_mac().
  void set_path(const roce::Path& path);
  /// No peer: packets wait for another path.
  void clear_path();
  /// A new life, as if made anew with this (but for the depth of its send queue): outstanding requests are
  /// forgotten, and the requester counts from 0. Path, congestion control, pacing and counters() go on.
  void renew(const roce::RequesterConfig& config, std::uint16_t pkey);

  /// Posts what is due and fits.
  void post_due(Time now);
  /// Whether a request more keeps it busy: one message ahead of the one being sent.
  bool may_post() const { return requester_.can_post() && requester_.unsent() < 2; }
  /// Posts a request that is not of its traffic. Requires may_post().
  void post(const roce::WorkRequest& request, Time now);
  /// When the next packet may leave as far as this QP alone is concerned; kNever when only an
  /// acknowledgement, a timer or a neighbour can change that. post_due() has been called.
  Time departure(Time now) const {
    const bool ready = requester_.ready(now);
    const Time own = own_departure(now, ready);
    if (congestion_ == nullptr || own > now || !ready) return own;
    return std::max(own, congestion_->departure(requester_.next_transport_bytes(), now));
  }
  /// The same without its congestion control, which it may share with others.
  Time own_departure(Time now) const { return own_departure(now, requester_.ready(now)); }
  /// departure(now) ≤ now, and there is a packet.
  bool may_send(Time now) const {
    if (!resolved() || now < starts_at_ || !requester_.ready(now)) return false;
    if (flags_.packets_paced && pacer_->departure() > now) return false;
    return congestion_ == nullptr || congestion_->departure(requester_.next_transport_bytes(), now) <= now;
  }
  /// Crafts the next packet, and gives departure(now) behind it to `next`. Requires may_send(). False when
  /// the payload source failed: the request has ended.
  bool craft(Time now, std::uint16_t identification, TxFrame& out, Time& next);
  /// A run of packets in the middle of a message (Requester::begin_run), of which all is known beforehand:
  /// before each and behind it there is nothing to post, nothing to reap, and nothing that makes the queue
  /// pair finished() or not. False when the next packet is not of one. Requires post_due() before.
  bool begin_run() { return requester_.may_begin_run() && make_run(); }
  /// There is a run, its next packet may leave, and no message is to be posted before.
  bool may_go_on(Time now) const {
    if (!requester_.in_run() || now >= run_until_) return false;
    if (flags_.packets_paced && pacer_->departure() > now) return false;
    return congestion_ == nullptr || congestion_->departure(middle_.transport_bytes(), now) <= now;
  }
  /// The same as craft(). Requires may_go_on(), or may_send() and a run that was begun just now.
  bool craft_of_run(Time now, std::uint16_t identification, TxFrame& out, Time& next);
  /// Behind craft(), which gave `next`: whether the next packet may leave at once. If so nothing is left to
  /// do for the one before: completions that it made are counted, what is due is posted, and the queue pair
  /// has not finished.
  bool may_follow(Time next, Time now) {
    if (next > now || !requester_.ready(now)) return false;
    reap(now);
    post_due(now);
    return true;
  }
  /// Counts completions that are there.
  void reap(Time now) {
    const bool same = static_cast<std::uint32_t>(requester_.messages_completed()) == completed_;
    if (same && requester_.reaped() && requester_.state() != roce::QpState::kErr) return;
    reap_all(now);
  }

  bool finished() const { return traffic_.finished() && requester_.idle(); }
  /// A mark for its board: that it counts as finished there.
  bool counts_finished() const { return flags_.counts_finished; }
  void count_finished(bool finished) { flags_.counts_finished = finished; }
  /// Another one: a response has come for it, and its board is still to act on that.
  bool to_settle() const { return flags_.to_settle; }
  void set_to_settle(bool to_settle) { flags_.to_settle = to_settle; }

  roce::Requester& requester() { return requester_; }
  const roce::Requester& requester() const { return requester_; }
  const Traffic& traffic() const { return traffic_; }
  /// Of its traffic, and posted besides.
  std::uint64_t messages_made() const { return traffic_.made(); }
  /// None, an address that nobody has, after clear_path().
  roce::IpAddress peer() const { return flags_.has_peer ? headers_.dest_ip() : roce::IpAddress{}; }
  SendQpCounters counters() const;
  /// True when its congestion control was told.
  bool on_cnp(Time now);
  void on_response(const roce::Aeth& aeth, roce::Psn psn, Time now);
  void on_timer(Time now);
  /// When on_timer() is to be called; kNever.
  Time deadline() const {
    const Time own = requester_.deadline();
    return congestion_ == nullptr ? own : std::min(own, congestion_->timer());
  }
  dcqcn::CongestionControl* congestion() const { return congestion_; }
  /// Its part of deadline().
  Time congestion_timer() const { return congestion_ == nullptr ? kNever : congestion_->timer(); }
  /// Status of the first request that failed, if any, in this life.
  std::optional<roce::WcStatus> failure() const {
    return failure_ == roce::WcStatus::kSuccess ? std::nullopt : std::optional(failure_);
  }
  /// Payload bytes of the messages of its traffic that completed with success.
  std::uint64_t completed_payload_bytes() const;
  Time given_up() const { return pacer_ ? pacer_->given_up() : 0; }
  /// Requests that can be outstanding: what its send queue has room for.
  static std::uint32_t send_queue_needed(const SendQpConfig& config);

  /// What its next packets touch is fetched into the cache, step by step: the first line;
  void prefetch() const { softfeb::prefetch(this, 1); }
  /// what a packet of a run touches besides, and its congestion control, where that stands behind it;
  void prefetch_run() const { softfeb::prefetch(&headers_, kHotLines + 2); }
  /// and what it does where not so many packets of a run are left, and one more: the end of a run and a turn
  /// in full touch the rest.
  void prefetch_turn() const {
    softfeb::prefetch(reinterpret_cast<const std::byte*>(this) + 64, sizeof *this / 64 - kHotLines - 1);
  }
  /// A rate of its own, which each packet touches besides: where it is, and then itself.
  bool paces_packets() const { return flags_.packets_paced; }
  void prefetch_pacer_place() const { softfeb::prefetch(&pacer_); }
  void prefetch_pacer() const { softfeb::prefetch(pacer_.get(), 2); }
  /// All of it, for a response, which goes on to the next message.
  void prefetch_response() const { softfeb::prefetch(this, sizeof *this / 64 + 1); }
  /// The same for deadline().
  void prefetch_deadline() const {
    requester_.prefetch_deadline();
    softfeb::prefetch(&congestion_, 2);  // and the first line of what it points to, likewise
  }

 private:
  bool write(Time now, std::uint16_t identification, TxFrame& out);
  bool make_run();
  roce::PacketPayload payload_at(std::uint64_t offset, std::uint32_t length) const {
    if (flags_.known_crc) return payload_->packet(offset, length);
    return {payload_->bytes(offset, length), {}};
  }
  /// The pacer's share of a packet that left.
  void pace(std::uint32_t payload, Time now) {
    if (flags_.packets_paced) pace_packet(payload, now);
  }
  void pace_packet(std::uint32_t payload, Time now);
  /// `ready`: its requester.
  Time own_departure(Time now, bool ready) const {
    if (!resolved()) return kNever;
    if (now < starts_at_) return starts_at_;
    return departure_behind(ready);
  }
  /// The same behind a packet that was sent just now: it has a peer, and its traffic has begun.
  Time departure_behind(bool ready) const {
    if (ready) return flags_.packets_paced ? pacer_->departure() : 0;
    // Nothing to send: the next message wakes us, if there is room for it; else a completion does.
    return may_post() ? due() : kNever;
  }
  Time tell_sent(std::uint32_t counted, Time now);
  void reap_all(Time now);

  bool by_message() const { return flags_.by_message; }
  /// When the next message may be posted; kNever when there is none.
  Time due() const {
    if (traffic_.finished()) return kNever;
    return by_message() && pacer_ ? pacer_->departure() : 0;
  }

  static constexpr unsigned kHotLines = 2;  ///< at the end

  struct Flags {
    bool known_crc : 1;
    bool resolved : 1;
    bool has_sent : 1;
    bool has_peer : 1;
    bool packets_paced : 1;
    bool by_bytes : 1;
    bool by_message : 1;
    bool counts_finished : 1;
    bool to_settle : 1;
  };

  // What each packet of a run touches is the first cache line, of the requester, and the two at the end. What
  // stands between them is of a message, or cold.
  roce::Requester requester_;
  Traffic traffic_;
  Time starts_at_ = kNever;
  Held<Pacer> pacer_;  ///< of its packets or of its messages, as the rate is meant; none without a rate
  std::uint64_t completions_ = 0;
  std::uint64_t completed_bytes_ = 0;
  std::uint64_t next_completion_ = 0;
  Time last_completed_ = 0;
  Time first_sent_ = kNever;
  std::uint64_t cnp_rx_ = 0;
  Time start_after_;
  std::uint32_t completions_out_of_order_ = 0;
  std::uint32_t completed_ = 0;  ///< those of the requester that reap() has seen, modulo 2^32
  std::uint16_t pkey_;
  roce::WcStatus failure_ = roce::WcStatus::kSuccess;

  alignas(64) roce::HeaderTemplate headers_;
  Flags flags_{};
  dcqcn::CongestionControl* congestion_;
  const roce::PayloadStream* payload_;
  std::uint64_t counted_bytes_ = 0;
  Time run_until_ = kNever;   ///< a message is to be posted then
  roce::MiddleFrame middle_;  ///< of headers_; of a run's packets while there is one
};

}  // namespace softfeb::engine
