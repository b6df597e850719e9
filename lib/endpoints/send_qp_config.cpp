// SPDX-License-Identifier: BSD-3-Clause
#include "endpoints/send_qp_config.hpp"

#include "base/uint128.hpp"
#include "endpoints/addresses.hpp"
#include "roce/udp_source_port.hpp"

#include <algorithm>

namespace softfeb::endpoints {

namespace {

engine::TrafficConfig traffic_of(const QpPlan& plan, const board::MessagePlan& messages) {
  const config::QpConfig& qp = *plan.config;
  engine::TrafficConfig t;
  t.verb = qp.traffic.verb;
  t.plan = messages;
  t.messages = messages_of(qp, messages);
  t.rate_kind = qp.traffic.rate.unit;
  t.rate = qp.traffic.rate.per_second;
  t.period = qp.traffic.rate.period;
  t.burst = qp.traffic.burst;
  t.remote_address = plan.target.address;
  t.rkey = plan.target.rkey;
  t.slots = slots_of(qp, plan.target);
  t.stride = plan.target.stride;
  t.immediate_kind = qp.traffic.immediate.kind == config::ImmediateConfig::Kind::kCounter
                         ? engine::ImmediateKind::kCounter
                         : engine::ImmediateKind::kFixed;
  if (qp.traffic.immediate.kind == config::ImmediateConfig::Kind::kValue)
    t.immediate = qp.traffic.immediate.value;
  if (qp.traffic.immediate.kind == config::ImmediateConfig::Kind::kChannel) t.immediate = plan.on_board + 1;
  t.signaled = qp.signaled;
  t.solicited = qp.solicited;
  return t;
}

roce::RequesterConfig requester_of(const QpPlan& plan, roce::TimingProfile timing) {
  const config::QpConfig& qp = *plan.config;
  roce::RequesterConfig r;
  r.transport = qp.transport;
  r.qpn = plan.qpn;
  r.dest_qpn = plan.target.qpn;
  r.pmtu = qp.pmtu;
  r.initial_psn = qp.psn;
  r.sq_sig_all = qp.sq_sig_all;
  r.timeout = qp.timeout;
  r.retry_count = qp.retry_count;
  r.rnr_retry = qp.rnr_retry;
  r.min_rnr_timer = qp.min_rnr_timer;
  r.send_queue_depth = qp.send_queue;
  r.window_requests = qp.window;
  r.window_packets = qp.window_packets;
  r.ack_every = qp.ack_every;
  r.timing = timing;
  return r;
}

/// Returns the phase of a stream of beamlets: the time from the start of traffic to message 0. With `spread`,
/// the phases of a group's QPs are distributed evenly over one period.
Time phase(const config::BeamletsConfig& beamlets, const QpPlan& plan) {
  if (!beamlets.spread) return beamlets.phase;
  const config::QpConfig& qp = *plan.config;
  return static_cast<Time>(Uint128{qp.traffic.rate.period} * plan.number / qp.count);
}

/// Staggers the start of QPs in a paced group over the time of one packet. If they started together, they
/// would keep sending in bursts. Beamlets start at their phase.
Time start_after(const QpPlan& plan) {
  const config::QpConfig& qp = *plan.config;
  const config::Rate& rate = qp.traffic.rate;
  if (qp.traffic.beamlets) return phase(*qp.traffic.beamlets, plan);
  const bool by_bytes = rate.unit == config::Rate::Unit::kPayloadBytes;
  if (qp.count == 1 || (!by_bytes && rate.unit != config::Rate::Unit::kPackets)) return 0;
  const std::uint64_t units = by_bytes ? std::min(qp.pmtu, std::max(1U, qp.traffic.message_size)) : 1;
  const Uint128 spacing = Uint128{units} * kSecond / rate.per_second;
  return static_cast<Time>(spacing * plan.number / qp.count);
}

/// The immediate that the receiver expects in message 0, if the receiver has windows.
std::uint32_t first_immediate(const config::RunConfig& config, const QpPlan& plan) {
  if (!plan.target.receiver) return 0;
  const auto& windows = config.receivers[*plan.target.receiver].windows;
  return windows ? windows->first_immediate : 0;
}

}  // namespace

engine::SendQpConfig send_qp_of(const config::RunConfig& config, const QpPlan& plan,
                                const Payloads& payloads) {
  const config::BoardConfig& board = config.boards[plan.board];
  const board::PayloadSource& source = payloads.of(*plan.config);
  engine::SendQpConfig c;
  c.requester = requester_of(plan, board.timing);
  c.path = path_of(board.endpoint, plan.target.ip);
  c.path.udp_source_port = roce::source_port(board.udp_source_port, plan.on_board, plan.qpn, plan.target.qpn);
  c.peer_mac = plan.target.mac;
  const bool generated = board.traffic_gen && board.traffic_gen->makes_qps();
  c.payload = generated ? &payloads.of_traffic_gens() : &source;
  c.known_crc = board.icrc == config::IcrcMethod::kKnown;
  c.traffic = traffic_of(plan, source.plan());
  c.traffic.immediate += first_immediate(config, plan);
  c.start_after = start_after(plan) + board.post_delay;
  return c;
}

}  // namespace softfeb::endpoints
