// SPDX-License-Identifier: BSD-3-Clause
#include "engine/send_qp.hpp"

#include "roce/craft.hpp"

#include <algorithm>

namespace softfeb::engine {

namespace {

roce::RequesterConfig fitting(const SendQpConfig& config) {
  roce::RequesterConfig c = config.requester;
  c.send_queue_depth = SendQp::send_queue_needed(config);
  return c;
}

}  // namespace

SendQp::SendQp(const SendQpConfig& config, dcqcn::CongestionControl* congestion)
    : requester_(fitting(config)),
      start_after_(config.start_after),
      peer_(config.path.dest_ip),
      congestion_(congestion),
      payload_(config.payload),
      dest_qpn_(config.requester.dest_qpn),
      pkey_(config.pkey),
      rate_kind_(config.traffic.rate_kind),
      known_crc_(config.known_crc),
      packets_paced_(config.traffic.rate != 0 &&
                     (rate_kind_ == RateKind::kPayloadBytes || rate_kind_ == RateKind::kPackets)),
      headers_(config.path),
      pacer_(rate_kind_ == RateKind::kUnlimited ? 0 : config.traffic.rate, config.traffic.burst),
      traffic_(config.traffic) {
  if (config.peer_mac) set_dest_mac(*config.peer_mac);
}

/// RC: a window of requests on their way, one that is being sent, and one ahead; UC completes what it has
/// sent. post_due() never has more, so a longer queue would only be memory.
std::uint32_t SendQp::send_queue_needed(const SendQpConfig& config) {
  const bool rc = config.requester.transport == roce::Transport::kRc;
  const std::uint32_t window = rc ? std::min(config.requester.window_requests, UINT32_MAX - 2) : 0;
  return std::min(config.requester.send_queue_depth, window + 2);
}

void SendQp::set_path(const roce::Path& path) {
  requester_.end_run();
  headers_ = roce::HeaderTemplate(path);
  middle_ = {};
  peer_ = path.dest_ip;
  resolved_ = false;
}

void SendQp::clear_path() {
  requester_.end_run();
  peer_ = {};
  resolved_ = false;
}

void SendQp::renew(const roce::RequesterConfig& config, std::uint16_t pkey) {
  requester_.renew(config);
  middle_ = {};
  dest_qpn_ = config.dest_qpn;
  pkey_ = pkey;
  completed_ = 0;
  failure_.reset();
}

void SendQp::set_dest_mac(const roce::MacAddress& mac) {
  headers_.set_dest_mac(mac);
  resolved_ = true;
}

Time SendQp::start(Time now) {
  requester_.end_run();
  starts_at_ = saturating_add(now, start_after_);
  pacer_.start(starts_at_);
  return starts_at_;
}

void SendQp::post_due(Time now) {
  if (now < starts_at_) return;
  // One message ahead of the one being sent keeps the QP busy; more would only wait in the queue, and delay
  // the end of the run.
  while (due() <= now && may_post()) {
    requester_.post(traffic_.make(), now);
    if (by_message()) pacer_.sent(1, now);
  }
}

void SendQp::post(const roce::WorkRequest& request, Time now) {
  requester_.post(request, now);
  ++posted_;
}

void SendQp::pace_packet(std::uint32_t payload, Time now) {
  pacer_.sent(rate_kind_ == RateKind::kPackets ? 1 : std::max<std::uint64_t>(1, payload), now);
}

bool SendQp::write(Time now, std::uint16_t identification, TxFrame& out) {
  const roce::RequestPacket p = requester_.next(now);
  roce::PacketPayload payload;
  if (p.payload_length != 0) {
    payload = payload_at(p.payload_offset, p.payload_length);
    if (payload.bytes == nullptr) {
      requester_.payload_error(now);
      return false;
    }
  }
  out = TxFrame{.header = out.header, .payload = payload.bytes, .payload_length = p.payload_length};
  const roce::Crafted c = roce::craft_request(headers_, p, dest_qpn_, pkey_, identification, payload.bytes,
                                              payload.crc, out.header, out.trailer.data());
  out.header_length = c.header_length;
  out.trailer_length = c.trailer_length;
  pace(p.payload_length, now);
  if (counters_.first_sent == kNever) counters_.first_sent = now;
  return true;
}

bool SendQp::craft(Time now, std::uint16_t identification, TxFrame& out) {
  const std::uint32_t counted = requester_.next_transport_bytes();
  if (!write(now, identification, out)) return false;
  counters_.counted_bytes += counted;
  if (congestion_ != nullptr) congestion_->sent(counted, now);
  return true;
}

bool SendQp::begin_run() {
  if (!roce::MiddleFrame::usable() || !requester_.begin_run()) return false;
  run_until_ = may_post() ? due() : kNever;
  const roce::RequestPacket p = requester_.run_packet();
  if (!middle_.fits(p)) middle_ = roce::MiddleFrame(headers_, p, dest_qpn_, pkey_);
  return true;
}

/// The last packet of a run has left. As departure(now), which asks congestion control only where the rest
/// allows a packet.
Time SendQp::end_of_run(std::uint32_t counted, Time now) {
  const Time own = own_departure(now);
  if (congestion_ == nullptr) return own;
  if (own > now || !requester_.ready(now)) {
    congestion_->sent(counted, now);
    return own;
  }
  return std::max(own, congestion_->sent_then_departure(counted, requester_.next_transport_bytes(), now));
}

bool SendQp::on_cnp(Time now) {
  ++counters_.cnp_rx;
  // Before its first packet a CNP cannot be about it.
  if (congestion_ == nullptr || now < starts_at_) return false;
  congestion_->cnp(now);
  return true;
}

void SendQp::on_response(const roce::Aeth& aeth, roce::Psn psn, Time now) {
  if (congestion_ != nullptr) {
    if (aeth.kind() == roce::AethKind::kNakSequence) congestion_->nak(dcqcn::Nak::kSequence, now);
    if (aeth.kind() == roce::AethKind::kRnrNak) congestion_->nak(dcqcn::Nak::kReceiverNotReady, now);
  }
  requester_.on_response(aeth, psn, now);
}

void SendQp::on_timer(Time now) {
  if (requester_.deadline() <= now) {
    const std::uint64_t timeouts = requester_.counters().timeouts;
    requester_.on_timer(now);
    if (congestion_ != nullptr && requester_.counters().timeouts != timeouts) {
      congestion_->nak(dcqcn::Nak::kTimeout, now);
    }
  }
  if (congestion_ != nullptr && congestion_->timer() <= now) congestion_->timer_expired(now);
}

void SendQp::reap_all(Time now) {
  roce::Completion c;
  while (requester_.poll(c)) {
    ++counters_.completions;
    if (c.id < next_completion_) ++counters_.completions_out_of_order;
    next_completion_ = c.id + 1;
    if (c.status == roce::WcStatus::kSuccess) {
      counters_.completed_bytes += c.length;
    } else if (!failure_) {
      failure_ = c.status;
    }
  }
  // Whoever posts sees the error and ends: a QP in ERR would flush request after request at once.
  if (requester_.state() == roce::QpState::kErr) traffic_.stop();
  if (requester_.counters().messages_completed != completed_) {
    completed_ = requester_.counters().messages_completed;
    counters_.last_completed = now;
  }
}

std::uint64_t SendQp::completed_payload_bytes() const {
  // Messages complete in the order of their numbers, so their count says which ones they were.
  const std::uint64_t n = requester_.counters().messages_completed;
  const board::MessagePlan& plan = traffic_.config().plan;
  const std::uint64_t short_ones = plan.messages_per_pass() == 0 ? 0 : n / plan.messages_per_pass();
  return n * plan.message_length() - short_ones * (plan.message_length() - plan.last_length());
}

}  // namespace softfeb::engine
