// SPDX-License-Identifier: BSD-3-Clause
#include "engine/send_qp.hpp"

#include "engine/credit_frame.hpp"
#include "roce/congestion_frame.hpp"
#include "roce/craft.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>

namespace softfeb::engine {

roce::RequesterConfig SendQp::requester_config(const SendQpConfig& config) {
  roce::RequesterConfig c = config.requester;
  c.send_queue_depth = send_queue_needed(config);
  return c;
}

/// Returns null if the traffic generates no messages. Requests then come from another source and cannot be
/// regenerated.
roce::RequesterSettings::Again SendQp::request_again(const SendQpConfig& config) {
  return config.traffic.messages == 0U ? nullptr : &Traffic::again;
}

std::size_t SendQp::send_queue_bytes(const SendQpConfig& config) {
  return roce::SendQueue::bytes(send_queue_needed(config), request_again(config) == nullptr);
}

bool SendQp::needs_pacer(const SendQpConfig& config) {
  const TrafficConfig& t = config.traffic;
  if (t.rate_kind == RateKind::kPeriod) return t.period != 0;
  return t.rate != 0 && t.rate_kind != RateKind::kUnlimited;
}

bool SendQp::needs_tracker(const SendQpConfig& config) {
  return config.requester.transport == roce::Transport::kRc && observes_flight(config.congestion);
}

namespace {

roce::RequesterDeps requester_deps(const SendQpConfig& config, const SendQpDeps& deps,
                                   const Traffic& traffic) {
  const auto again = SendQp::request_again(config);
  Held<roce::RequesterSettings> profile(deps.requester);
  if (!profile) {
    profile = Held<roce::RequesterSettings>(roce::RequesterSettings(SendQp::requester_config(config), again));
  }
  return {std::move(profile), deps.queue, again == nullptr ? nullptr : &traffic};
}

Held<TrafficSettings> traffic_profile(const SendQpConfig& config, const SendQpDeps& deps) {
  if (deps.traffic != nullptr) return Held<TrafficSettings>(deps.traffic);
  TrafficSettings own(config.traffic);
  if (config.times) {
    own.times = std::make_unique<MessageTimes>(*config.times, config.traffic.plan.message_length(),
                                               SendQp::send_queue_needed(config));
  }
  return Held<TrafficSettings>(std::move(own));
}

Held<Pacer> make_pacer(const SendQpConfig& config, const SendQpDeps& deps) {
  if (!SendQp::needs_pacer(config)) return {};
  const TrafficConfig& t = config.traffic;
  Pacer pacer = t.rate_kind == RateKind::kPeriod ? Pacer::every(t.period) : Pacer(t.rate, t.burst);
  if (deps.pacer == nullptr) return Held<Pacer>(std::move(pacer));
  return Held<Pacer>(std::construct_at(deps.pacer, pacer));
}

Held<FlightTracker> make_tracker(const SendQpConfig& config, const congestion::CongestionControl* congestion,
                                 const SendQpDeps& deps) {
  if (congestion == nullptr || !SendQp::needs_tracker(config)) return {};
  const std::uint32_t spacing = congestion->ack_spacing();
  const CchSettings cch{deps.cc_port, congestion_profile(config.congestion)};
  if (deps.tracker == nullptr)
    return Held<FlightTracker>(FlightTracker(spacing, cch, deps.flight, deps.posted));
  return Held<FlightTracker>(
      std::construct_at(static_cast<FlightTracker*>(deps.tracker), spacing, cch, deps.flight, deps.posted));
}

}  // namespace

SendQp::SendQp(const SendQpConfig& config, congestion::CongestionControl* congestion, const SendQpDeps& deps)
    : requester_(requester_config(config), requester_deps(config, deps, traffic_)),
      traffic_(config.traffic, traffic_profile(config, deps)),
      tracker_(make_tracker(config, congestion, deps)),
      pacer_(make_pacer(config, deps)),
      start_after_(config.start_after),
      headers_(config.path),
      pkey_(config.pkey),
      congestion_(congestion),
      payload_(config.payload) {
  static_assert(sizeof(SendQp) <= 512, "memory of a queue pair (doc/engine.md)");
  const RateKind kind = config.traffic.rate_kind;
  flags_.known_crc = config.known_crc;
  flags_.has_peer = true;
  flags_.by_bytes = kind == RateKind::kPayloadBytes;
  flags_.tracked = static_cast<bool>(tracker_);
  flags_.has_cch = flags_.tracked && tracker_->cch().port != 0 && tracker_->cch().profile != 0;
  flags_.packets_paced = pacer_ && (flags_.by_bytes || kind == RateKind::kPackets);
  flags_.timed = traffic_.times() != nullptr;
  if (config.peer_mac) set_dest_mac(*config.peer_mac);
}

/// Returns the number of requests for which the send queue needs room. On RC, these are a window of requests
/// in flight, one request that is being sent, and the next one; post_due() never posts more than that. UC
/// requests complete when they are sent, so no window is needed. A UC queue pair without messages of its own
/// has the configured depth, because its requests come from another source, possibly in bursts.
std::uint32_t SendQp::send_queue_needed(const SendQpConfig& config) {
  const bool rc = config.requester.transport == roce::Transport::kRc;
  if (!rc && config.traffic.messages == 0) return config.requester.send_queue_depth;
  const std::uint32_t window = rc ? std::min(config.requester.window_requests, UINT32_MAX - 2) : 0;
  return std::min(config.requester.send_queue_depth, window + 2);
}

void SendQp::set_path(const roce::Path& path) {
  requester_.end_run();
  headers_ = roce::HeaderTemplate(path);
  middle_ = {};
  flags_.has_peer = true;
  flags_.resolved = false;
}

void SendQp::clear_path() {
  requester_.end_run();
  flags_.has_peer = false;
  flags_.resolved = false;
}

void SendQp::renew(const roce::RequesterConfig& config, std::uint16_t pkey) {
  requester_.renew(config);
  if (flags_.tracked) tracker_->give_up();
  middle_ = {};
  pkey_ = pkey;
  completed_ = 0;
  sampled_ = 0;
  flags_.failure = 0;
}

void SendQp::set_dest_mac(const roce::MacAddress& mac) {
  headers_.set_dest_mac(mac);
  flags_.resolved = true;
}

Time SendQp::start(Time now) {
  requester_.end_run();
  starts_at_ = saturating_add(now, start_after_);
  if (pacer_) pacer_->start(starts_at_);
  if (flags_.timed) traffic_.times()->start(starts_at_);
  return starts_at_;
}

/// Requires that traffic has started.
void SendQp::post_all_due(Time now) {
  // One message ahead of the message that is being sent is enough to keep the QP busy. More messages would
  // only wait in the queue and delay the end of the experiment.
  while (may_post() && !traffic_.held() && due() <= now) {
    const Time since = due();
    if (flags_.timed) traffic_.times()->post(traffic_.made(), now);
    const roce::WorkRequest request = traffic_.make();
    requester_.post(request, now);
    stamp_posted(since == 0 ? now : since, now);
    report_posted(request.length, now);
    traffic_.record_post(now);
    if (by_message() && !traffic_.notifies_next()) pacer_->sent(1, now);
  }
  if (traffic_.held()) traffic_.progress()->wait(now);
  if (flags_.timed) traffic_.stop_if_exhausted();
}

/// Returns the key of the message whose last packet has PSN `last_psn`; 0 if the times of this message are
/// not recorded.
latency::MessageKey SendQp::stamped(roce::Psn last_psn) const {
  const latency::StampSource& source = traffic_.stamps();
  if (source.stamps == nullptr) return 0;
  const bool elsewhere = (source.owner & latency::QpOwner::kOfBoard) != 0;
  const latency::MessageKey key = source.key(elsewhere ? requester_.qpn() : requester_.dest_qpn(), last_psn);
  return source.stamps->selects(key) ? key : 0;
}

inline void SendQp::stamp_posted(Time due, Time now) {
  if (traffic_.stamps().stamps == nullptr) return;
  const latency::MessageKey key = stamped(requester_.last_posted_psn());
  if (key == 0) return;
  if (sampled_ != kManySampled) ++sampled_;
  const Time delay = traffic_.post_delay();
  latency::Stamps& stamps = *traffic_.stamps().stamps;
  stamps.put(key, latency::Stage::kTriggered, due - std::min(due, delay));
  stamps.put(key, latency::Stage::kPosted, now - std::min(now, delay));
}

/// Records the time of the first packet of a message, and marks the last packet for the port.
void SendQp::stamp_packet(const roce::RequestPacket& packet, TxFrame& out, Time now) {
  const roce::Operation op = roce::opcode_operation(packet.opcode);
  if (roce::ends_message(op)) {
    out.message = stamped(packet.psn);
    if (out.message != 0) traffic_.stamps().stamps->mark_frame();
  }
  if (!roce::begins_message(op) || packet.retransmission) return;
  const latency::MessageKey key =
      roce::ends_message(op) ? out.message : stamped(requester_.last_sending_psn());
  if (key != 0) traffic_.stamps().stamps->put(key, latency::Stage::kCrafted, now);
}

void SendQp::stamp_completed(std::uint32_t messages, Time now) {
  for (std::uint32_t back = messages; back != 0; --back) {
    const auto psn = requester_.last_completed_psn(back);
    const latency::MessageKey key = psn ? stamped(*psn) : 0;
    if (key == 0) continue;
    if (sampled_ != kManySampled) --sampled_;
    traffic_.stamps().stamps->put(key, latency::Stage::kCompleted, now);
  }
}

void SendQp::post(const roce::WorkRequest& request, Time now, Time due) {
  requester_.post(request, now);
  stamp_posted(due, now);
  report_posted(request.length, now);
  traffic_.count();
}

void SendQp::pace_packet(std::uint32_t payload, Time now) {
  pacer_->sent(flags_.by_bytes ? std::max<std::uint64_t>(1, payload) : 1, now);
}

std::uint32_t SendQp::write(Time now, std::uint16_t identification, TxFrame& out) {
  const bool ask = flags_.tracked && prepare_tracked();
  const roce::RequestPacket p = requester_.next(now, ask);
  roce::PacketPayload payload;
  if (p.payload_length != 0) {
    payload = payload_at(p.payload_offset, p.payload_length);
    if (payload.bytes == nullptr) {
      requester_.payload_error(now);
      return 0;
    }
  }
  out = TxFrame{.header = out.header, .payload = payload.bytes, .payload_length = p.payload_length};
  const roce::Crafted c = roce::craft_request(headers_, p, requester_.dest_qpn(), pkey_, identification,
                                              payload.bytes, payload.crc, out.header, out.trailer.data());
  out.header_length = c.header_length;
  out.trailer_length = c.trailer_length;
  out.icrc_right = true;
  // Counts from the BTH through the pad.
  const auto counted = static_cast<std::uint32_t>(out.length() - headers_.size() - roce::kIcrcSize);
  if (sampled_ != 0) stamp_packet(p, out, now);
  if (flags_.tracked) report_sent(!p.retransmission, p.ack_req, counted, now);
  pace(p.payload_length, now);
  if (!flags_.has_sent) {
    flags_.has_sent = true;
    first_sent_ = now;
  }
  return counted;
}

/// Implements closed() for queue pairs with a tracker.
bool SendQp::closed_for_tracked() const { return tracker_->closed(congestion_->window()) || needs_credit(0); }

/// Sets the priority of the next packet if congestion control chooses it. Returns true if the packet must
/// request an acknowledgement for congestion control. Requires a tracker.
bool SendQp::prepare_tracked() {
  // If the last packet that has credit did not request an ACK, the loss of this packet would not be noticed.
  const bool ask =
      tracker_->asks(requester_.next_transport_bytes(), congestion_->window()) || needs_credit(1);
  if (!congestion_->uses(congestion::kPriority)) return ask;
  const std::uint8_t level = congestion_->priority(requester_.next_packet());
  if (level != congestion::CongestionControl::kNoPriority && headers_.dscp() != 8 * level)
    headers_.set_priority(level);
  return ask;
}

bool SendQp::craft(Time now, std::uint16_t identification, TxFrame& out, Time& next) {
  const std::uint32_t counted = write(now, identification, out);
  if (counted == 0) return false;
  if (flags_.has_cch) add_congestion_header(out, now);
  counted_bytes_ += counted;
  next = tell_sent(counted, now);
  return true;
}

bool SendQp::make_run() {
  if (asks_next_in_run() || !roce::MiddleFrame::usable() || !requester_.begin_run()) return false;
  run_until_ = may_post() ? due() : kNever;
  const roce::RequestPacket p = requester_.run_packet();
  if (!middle_.fits(p)) middle_ = roce::MiddleFrame(headers_, p, requester_.dest_qpn(), pkey_);
  return true;
}

/// Reports a sent packet to congestion control. Returns departure(now). Queries congestion control for the
/// departure time only if nothing else delays the next packet.
Time SendQp::tell_sent(std::uint32_t counted, Time now) {
  const bool ready = requester_.ready(now);
  const Time own = departure_behind(ready);
  if (congestion_ == nullptr) return own;
  if (own > now || !ready) {
    congestion_->sent(counted, now);
    return own;
  }
  if (closed()) {
    congestion_->sent(counted, now);
    return kNever;
  }
  return std::max(own, congestion_->sent_then_departure(counted, requester_.next_transport_bytes(), now));
}

bool SendQp::on_cnp(Time now) {
  ++cnp_rx_;
  // A CNP that arrives before this QP's traffic has started cannot be a reaction to this QP's packets.
  if (congestion_ == nullptr || now < starts_at_) return false;
  congestion_->cnp(now);
  return true;
}

void SendQp::on_response(const roce::Aeth& aeth, roce::Psn psn, const roce::CongestionHeader* echo,
                         Time now) {
  const roce::Requester::Progress before = requester_.progress();
  requester_.on_response(aeth, psn, now);
  if (congestion_ == nullptr) return;
  const roce::AethKind kind = aeth.kind();
  if (flags_.tracked) report_progress(before, {kind == roce::AethKind::kAck, echo}, now);
  if (kind == roce::AethKind::kNakSequence) congestion_->nak(congestion::Nak::kSequence, now);
  if (kind == roce::AethKind::kRnrNak) congestion_->nak(congestion::Nak::kReceiverNotReady, now);
}

void SendQp::on_bad_response(roce::Psn psn, Time now) {
  const roce::Requester::Progress before = requester_.progress();
  requester_.on_bad_response(psn, now);
  if (flags_.tracked) report_progress(before, {}, now);
}

void SendQp::on_grant(const roce::CreditBody& grant, Time now) {
  if (!flags_.tracked || !congestion_->uses(congestion::kOnGranted)) return;
  const std::int64_t last = requester_.packet_of(grant.last_psn);
  if (last >= 0) congestion_->granted(static_cast<std::uint64_t>(last) + 1, grant.priority, now);
}

bool SendQp::on_resend(const roce::CreditBody& request, Time now) {
  if (!flags_.tracked || !congestion_->uses(congestion::kOnGranted)) return false;
  on_grant(request, now);
  const roce::Requester::Progress before = requester_.progress();
  const std::int64_t first = requester_.packet_of(request.first_missing);
  if (first >= 0 && static_cast<std::uint64_t>(first) >= before.sent) return true;
  requester_.on_resend_request(request.first_missing, now);
  if (flags_.tracked) report_progress(before, {}, now);
  return false;
}

void SendQp::write_busy(const roce::CreditBody& request, std::uint16_t identification, TxFrame& out) const {
  roce::CreditBody body = request;
  body.kind = roce::CreditBody::kBusy;
  roce::HeaderTemplate path = headers_;
  path.set_priority(kControlPriority);
  write_control_frame({path, tracker_->cch().port, requester_.dest_qpn(), pkey_}, body, identification, out);
}

/// Writes the congestion control header of a request between its UDP header and its BTH.
void SendQp::add_congestion_header(TxFrame& out, Time now) const {
  std::array<std::uint8_t, roce::CongestionHeader::kMaxSize> cch;
  const CchSettings& settings = tracker_->cch();
  std::size_t size = 0;
  if (settings.profile == roce::CongestionHeader::kInt) {
    size = roce::write_int_header(cch.data());
  } else if (settings.profile == roce::CongestionHeader::kDelay) {
    size = roce::write_delay_header(cch.data(), now);
  } else {
    std::array<std::uint8_t, roce::CongestionHeader::kMaxBody> body;
    const std::size_t length = congestion_->write_header(body, now);
    size = roce::write_user_header(cch.data(), settings.profile, {body.data(), length});
  }
  out.header_length = roce::insert_congestion_header(headers_, {cch.data(), size}, settings.port, out.header,
                                                     out.header_length);
}

/// Tells the tracker that a packet was sent.
void SendQp::report_sent(bool first_time, bool asked, std::uint32_t counted, Time now) {
  const roce::Requester::Progress at = requester_.progress();
  const std::uint64_t packet = at.next - 1;
  if (packet < at.acked) return;  // with firmware timing, the requester also resends acknowledged packets
  tracker_->sent({.bytes = counted, .first_time = first_time, .asked = asked}, packet, now);
}

/// Reports to congestion control which packets a response acknowledged, and whether the response or a timeout
/// caused a go-back. `before` is the requester's progress before the response or timeout.
void SendQp::report_progress(const roce::Requester::Progress& before, const Response& response, Time now) {
  const roce::Requester::Progress after = requester_.progress();
  if (after.acked != before.acked) {
    congestion::Ack report =
        tracker_->acknowledged({.bytes = requester_.transport_bytes(before, after.acked),
                                .packets = static_cast<std::uint32_t>(after.acked - before.acked),
                                .last = after.acked - 1,
                                .sample = response.ack,
                                .awaiting = requester_.awaits_ack()});
    roce::IntBody records;
    if (response.ack && response.echo != nullptr) {
      const roce::CongestionHeader& echo = *response.echo;
      if (echo.hops != 0) report.hops = echo.hops;
      report.path = echo.path;
      if (echo.profile >= roce::CongestionHeader::kFirstUser) report.header = echo.body;
      if (const auto delay = roce::DelayBody::decode(echo))
        report.remote_delay = delay->remote_ns * kNanosecond;
      if (const auto body = roce::IntBody::decode(echo)) {
        records = *body;
        report.records = std::span(records.records).first(records.count);
      }
    }
    congestion_->ack(report, now);
  }
  if (after.next < before.next) tracker_->go_back();
}

void SendQp::on_timer(Time now) {
  if (requester_.deadline() <= now) {
    const std::uint64_t timeouts = requester_.timeouts();
    const roce::Requester::Progress before = requester_.progress();
    requester_.on_timer(now);
    if (flags_.tracked) report_progress(before, {}, now);
    if (congestion_ != nullptr && requester_.timeouts() != timeouts) {
      congestion_->nak(congestion::Nak::kTimeout, now);
    }
  }
  if (congestion_ != nullptr && congestion_->timer() <= now) congestion_->timer_expired(now);
}

void SendQp::reap_all(Time now) {
  roce::Completion c;
  while (requester_.poll(c)) {
    ++completions_;
    if (c.id < next_completion_ && completions_out_of_order_ != UINT16_MAX) ++completions_out_of_order_;
    next_completion_ = c.id + 1;
    if (c.status == roce::WcStatus::kSuccess) {
      completed_bytes_ += c.length;
    } else if (flags_.failure == 0) {
      static_assert(static_cast<int>(roce::WcStatus::kSuccess) == 0);
      flags_.failure = static_cast<std::uint8_t>(c.status) & 0x1f;
    }
  }
  // Stop posting after an error, as an application would. Otherwise a QP in ERR would flush request after
  // request.
  if (requester_.state() == roce::QpState::kErr) {
    traffic_.stop();
    if (flags_.tracked) tracker_->give_up();
  }
  if (flags_.timed) traffic_.times()->complete(requester_.messages_completed(), now);
  const auto completed = static_cast<std::uint32_t>(requester_.messages_completed());
  if (completed != completed_) {
    if (sampled_ != 0 && requester_.state() != roce::QpState::kErr)
      stamp_completed(completed - completed_, now);
    completed_ = completed;
    last_completed_ = now;
    traffic_.completed(requester_.messages_completed());
  }
}

SendQpCounters SendQp::counters() const {
  return {.counted_bytes = counted_bytes_,
          .first_sent = first_sent_,
          .cnp_rx = cnp_rx_,
          .completions = completions_,
          .completions_out_of_order = completions_out_of_order_,
          .completed_bytes = completed_bytes_,
          .last_completed = last_completed_};
}

std::uint64_t SendQp::completed_payload_bytes() const {
  if (flags_.timed) return traffic_.times()->completed_bytes();
  // Messages complete in order, so their count determines their total length. If the sender notifies, every
  // second message is an empty notification.
  const std::uint64_t all = requester_.messages_completed();
  const std::uint64_t n = traffic_.sender_notifies() ? (all + 1) / 2 : all;
  const board::MessagePlan& plan = traffic_.plan();
  const std::uint64_t short_ones = plan.messages_per_pass() == 0 ? 0 : n / plan.messages_per_pass();
  return n * plan.message_length() - short_ones * (plan.message_length() - plan.last_length());
}

}  // namespace softfeb::engine
