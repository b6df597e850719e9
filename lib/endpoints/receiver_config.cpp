// SPDX-License-Identifier: BSD-3-Clause
#include "endpoints/receiver_config.hpp"

#include "congestion/homa_algorithm.hpp"
#include "endpoints/addresses.hpp"
#include "endpoints/qp_congestion.hpp"
#include "endpoints/random_traffic.hpp"
#include "roce/udp_source_port.hpp"

#include <algorithm>

namespace softfeb::endpoints {

namespace {

/// Returns how many ranges to record for each of `n` queue pairs or streams, so that all of them together
/// record about `all` ranges. Without this limit, 100,000 queue pairs would reserve gigabytes of memory,
/// although ranges are rarely needed.
std::size_t ranges_of_each(std::size_t n, std::size_t all) {
  constexpr std::size_t kMost = 1024, kLeast = 64;
  return std::clamp(all / std::max<std::size_t>(1, n), kLeast, kMost);
}

roce::ResponderConfig responder_of(const config::ReceiverConfig& receiver, const QpPlan& plan) {
  const config::QpConfig& qp = *plan.config;
  roce::ResponderConfig r;
  r.transport = qp.transport;
  r.qpn = plan.target.qpn;
  r.dest_qpn = plan.qpn;
  r.pmtu = qp.pmtu;
  r.expected_psn = qp.psn;
  r.rnr_timer = receiver.rnr_timer;
  r.receives = receiver.receives;
  r.any_order = receiver.any_order;
  return r;
}

/// Returns the length of the transfer or file after which the payload starts again from its beginning; 0 if
/// the queue pair sends neither transfers nor a file.
std::uint64_t stream_length(const config::QpConfig& qp, const board::MessagePlan& messages) {
  if (const auto& transfer = qp.traffic.transfer) return transfer->bytes;
  if (qp.traffic.payload.kind != board::PayloadKind::kFile) return 0;
  return (messages.messages_per_pass() - 1) * messages.message_length() + messages.last_length();
}

/// Completes the settings with which the receiver checks and counts the messages of `plan`.
void set_layout(const config::RunConfig& config, const QpPlan& plan, const board::PayloadSource& source,
                roce::ReceiveQpConfig& c) {
  const config::ReceiverConfig& receiver = config.receivers[*plan.target.receiver];
  const config::QpConfig& qp = *plan.config;
  const auto& generator = config.boards[plan.board].traffic_gen;
  const bool generated = generator && generator->makes_qps();
  if (receiver.events || generated) {
    // Event data and traffic generators send messages of varying length, which have no layout. The event
    // builder numbers and checks event data; for traffic generators, the receiver checks the byte counter in
    // the payload.
    c.check_continuity = generated && receiver.check_payload;
    return;
  }
  if (const MessageLengths lengths = lengths_of(config, plan))
    c.layout.emplace(lengths, qp.traffic.message_size, qp.pmtu);
  else
    c.layout.emplace(qp.traffic.message_size, qp.pmtu, stream_length(qp, source.plan()));
  // The notifications of senders are empty messages, which are not part of the layout.
  if (qp.traffic.transfer && qp.traffic.transfer->notify_sender) return;
  if (receiver.check_payload) c.expected = &source;
  c.numbering = roce::MessageNumbering::kLayout;
}

roce::MemoryRegion region_of(const config::ReceiverConfig& receiver, const QpPlan& plan,
                             ReceiverMemory& memory) {
  const config::TrafficConfig& traffic = plan.config->traffic;
  std::size_t offset = 0;
  if (!receiver.events) {
    const std::size_t first = traffic.transfer ? plan.target.first_qp : plan.target.receiver_qp;
    offset = first * (in_window_layout(receiver) ? traffic.message_size : receiver.memory);
  }
  return {plan.target.address, plan.target.length, plan.target.rkey, memory.data() + offset};
}

engine::ReceiveQpSetup receive_qp_of(const config::RunConfig& config, const QpPlan& plan,
                                     const Payloads& payloads, ReceiverMemory& memory, std::size_t qps) {
  const config::ReceiverConfig& receiver = config.receivers[*plan.target.receiver];
  const config::QpConfig& qp = *plan.config;
  engine::ReceiveQpSetup s;
  s.qp.responder = responder_of(receiver, plan);
  set_layout(config, plan, payloads.of(qp), s.qp);
  s.qp.map_capacity = ranges_of_each(qps, std::size_t{1} << 21);
  s.reply_path = path_of(receiver.endpoint, config.boards[plan.board].endpoint.ip);
  s.reply_path.udp_source_port = roce::hashed_source_port(s.qp.responder.qpn, s.qp.responder.dest_qpn);
  if (receiver.receive_rate != 0) s.receive_interval = kSecond / receiver.receive_rate;
  if (qp.traffic.transfer) s.transfer_source = static_cast<std::uint32_t>(plan.target.first_qp);
  s.regions.push_back(region_of(receiver, plan, memory));
  return s;
}

roce::WindowMapConfig window_map_of(const config::WindowsConfig& w, const config::QpConfig& qp,
                                    std::size_t qps) {
  roce::WindowMapConfig map;
  map.ring = w.ring;
  map.depth = w.depth;
  map.max_jump = w.max_jump;
  map.first_immediate = w.first_immediate;
  map.packets_per_message = (qp.traffic.message_size - 1) / qp.pmtu + 1;
  map.ranges_per_stream = ranges_of_each(qps, std::size_t{1} << 14);
  return map;
}

}  // namespace

engine::ReceiverConfig receiver_config_of(const config::RunConfig& config, std::size_t r, std::size_t qps) {
  const config::ReceiverConfig& c = config.receivers[r];
  engine::ReceiverConfig receiver;
  receiver.identity = identity_of(c.endpoint);
  receiver.notification = {c.cnp.enabled, c.cnp.scope, c.cnp.interval};
  receiver.pause = {.mode = c.endpoint.pause};
  receiver.cc_port = c.endpoint.cc_header ? config.run.cc_port : std::uint16_t{0};
  if (c.streams) receiver.streams = {.buffers = c.streams->buffers, .hold = c.streams->hold};
  receiver.response_delay = c.response_delay;
  receiver.qps.reserve(qps);
  return receiver;
}

void add_receive_qp(const config::RunConfig& config, const QpPlan& plan, const Payloads& payloads,
                    ReceiverMemory& memory, std::size_t qps, engine::ReceiverConfig& receiver) {
  const config::ReceiverConfig& c = config.receivers[*plan.target.receiver];
  receiver.qps.push_back(receive_qp_of(config, plan, payloads, memory, qps));
  if (c.any_order && !receiver.unordered)
    receiver.unordered = roce::UnorderedConfig{.pmtu = plan.config->pmtu, .timeout = c.ordering_timeout};
  if (c.windows && !receiver.windows) receiver.windows = window_map_of(*c.windows, *plan.config, qps);
  const config::CongestionConfig& congestion = congestion_config_of(config.boards[plan.board], *plan.config);
  if (congestion.algorithm != config::CongestionConfig::Algorithm::kOther) return;
  congestion::AlgorithmSettings settings = congestion.other;
  settings.path.pmtu = plan.config->pmtu;
  if (const auto homa = congestion::homa_parameters(settings)) {
    receiver.homa = *homa;
    receiver.qps.back().grants = true;
  }
}

}  // namespace softfeb::endpoints
