// SPDX-License-Identifier: BSD-3-Clause
#include "endpoints/endpoints.hpp"

#include "base/uint128.hpp"
#include "config/run_config.hpp"
#include "congestion/homa_algorithm.hpp"
#include "roce/udp_source_port.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace softfeb::endpoints {

namespace {

std::optional<roce::VlanTag> tag_of(const config::EndpointConfig& e) {
  if (!e.vlan) return std::nullopt;
  return roce::VlanTag{*e.vlan, e.pcp};
}

engine::PauseConfig pause_of(const config::EndpointConfig& e) { return {.mode = e.pause}; }

/// True if the transmit queue of the board's port enforces its link rate.
bool shaped_by_port(const config::RunConfig& config, const config::BoardConfig& board) {
  return board.endpoint.port < config.ports.size() &&
         config.ports[board.endpoint.port].pacing == config::Pacing::kQueueRate;
}

roce::Path path_of(const config::EndpointConfig& e, const roce::IpAddress& peer) {
  roce::Path p;
  p.source_mac = e.mac;
  p.vlan = tag_of(e);
  p.source_ip = e.ip;
  p.dest_ip = peer;
  p.dscp = e.dscp;
  p.ecn = e.ecn;
  p.ttl = e.ttl;
  return p;
}

engine::TrafficConfig traffic_of(const QpPlan& plan, const board::MessagePlan& messages) {
  const config::QpConfig& qp = *plan.config;
  engine::TrafficConfig t;
  t.verb = qp.traffic.verb;
  t.plan = messages;
  t.messages = messages_of(qp, messages);
  t.rate_kind = qp.traffic.rate.unit;
  t.rate = qp.traffic.rate.per_second;
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

/// Assigns a number to each CongestionControl object that several QPs of a board share.
class CongestionGroups {
 public:
  std::optional<std::uint32_t> of(const QpPlan& plan, const config::CongestionConfig& d) {
    if (d.scope == config::CongestionConfig::Scope::kQp) return std::nullopt;
    const roce::IpAddress peer =
        d.scope == config::CongestionConfig::Scope::kIpPair ? plan.target.ip : roce::IpAddress{};
    return numbers_.try_emplace({plan.board, &d, peer}, static_cast<std::uint32_t>(numbers_.size()))
        .first->second;
  }

 private:
  std::map<std::tuple<std::size_t, const config::CongestionConfig*, roce::IpAddress>, std::uint32_t> numbers_;
};

/// Staggers the start of QPs in a paced group over the time of one packet. If they started together, they
/// would keep sending in bursts.
Time start_after(const QpPlan& plan) {
  const config::QpConfig& qp = *plan.config;
  const config::Rate& rate = qp.traffic.rate;
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

engine::SendQpConfig send_qp(const config::BoardConfig& board, const QpPlan& plan, const Payloads& payloads) {
  const board::PayloadSource& source = payloads.of(*plan.config);
  engine::SendQpConfig c;
  c.requester = requester_of(plan, board.timing);
  c.path = path_of(board.endpoint, plan.target.ip);
  c.path.udp_source_port = roce::source_port(board.udp_source_port, plan.on_board, plan.qpn, plan.target.qpn);
  c.peer_mac = plan.target.mac;
  c.payload = &source;
  c.known_crc = board.icrc == config::IcrcMethod::kKnown;
  c.traffic = traffic_of(plan, source.plan());
  c.start_after = start_after(plan);
  return c;
}

roce::NotificationConfig notification_of(const config::CnpConfig& c) {
  return {c.enabled, c.scope, c.interval};
}

/// Returns how many ranges of missing messages each of a receiver's `qps` QPs can record. The more QPs
/// there are, the smaller is the result. Otherwise 100,000 QPs would take gigabytes of memory for a rare
/// event.
std::size_t map_capacity(std::size_t qps) {
  constexpr std::size_t kMost = 1024, kLeast = 64, kOfAll = std::size_t{1} << 21;
  return std::clamp(kOfAll / std::max<std::size_t>(1, qps), kLeast, kMost);
}

engine::ReceiveQpSetup receive_qp(const config::RunConfig& config, const QpPlan& plan,
                                  const Payloads& payloads, ReceiverMemory& memory, std::size_t qps) {
  const config::ReceiverConfig& receiver = config.receivers[*plan.target.receiver];
  const config::QpConfig& qp = *plan.config;
  const board::PayloadSource& source = payloads.of(qp);
  engine::ReceiveQpSetup s;
  roce::ResponderConfig& r = s.qp.responder;
  r.transport = qp.transport;
  r.qpn = plan.target.qpn;
  r.dest_qpn = plan.qpn;
  r.pmtu = qp.pmtu;
  r.expected_psn = qp.psn;
  r.rnr_timer = receiver.rnr_timer;
  r.receives = receiver.receives;
  r.any_order = receiver.any_order;
  const std::uint64_t stream =
      qp.traffic.payload.kind == board::PayloadKind::kFile
          ? (source.plan().messages_per_pass() - 1) * source.plan().message_length() +
                source.plan().last_length()
          : 0;
  const bool events = receiver.events.has_value();
  const auto& generator = config.boards[plan.board].traffic_gen;
  const bool generated = generator && generator->makes_qps();
  if (events || generated) {
    // Messages of event data and of traffic generators differ in length. The event builder numbers and checks
    // the former.
    s.qp.check_continuity = generated && receiver.check_payload;
  } else if (const MessageLengths lengths = lengths_of(config, plan)) {
    s.qp.layout.emplace(lengths, qp.traffic.message_size, qp.pmtu);
  } else {
    const auto& transfer = qp.traffic.transfer;
    s.qp.layout.emplace(qp.traffic.message_size, qp.pmtu, transfer ? transfer->bytes : stream);
  }
  // The notifications of senders are empty messages, which are not part of the layout.
  const bool in_layout =
      !events && !generated && (!qp.traffic.transfer || !qp.traffic.transfer->notify_sender);
  if (receiver.check_payload && in_layout) s.qp.expected = &source;
  if (in_layout) s.qp.numbering = roce::MessageNumbering::kLayout;
  s.qp.map_capacity = map_capacity(qps);
  const roce::IpAddress& board_ip = config.boards[plan.board].endpoint.ip;
  s.reply_path = path_of(receiver.endpoint, board_ip);
  s.reply_path.udp_source_port = roce::hashed_source_port(r.qpn, r.dest_qpn);
  if (receiver.receive_rate != 0) s.receive_interval = kSecond / receiver.receive_rate;
  if (qp.traffic.transfer) s.transfer_source = static_cast<std::uint32_t>(plan.target.first_qp);
  if (events) {
    s.regions.push_back({plan.target.address, plan.target.length, plan.target.rkey, memory.data()});
    return s;
  }
  const std::size_t first = qp.traffic.transfer ? plan.target.first_qp : plan.target.receiver_qp;
  std::uint8_t* const at =
      memory.data() + first * (in_window_layout(receiver) ? qp.traffic.message_size : receiver.memory);
  s.regions.push_back({plan.target.address, plan.target.length, plan.target.rkey, at});
  return s;
}

/// Messages to a receiver of this process are identified by the receiver's queue pair.
latency::StampSource stamps_of(const QpPlan& plan, latency::Stamps& stamps) {
  return {&stamps, plan.target.receiver ? latency::QpOwner::receiver(*plan.target.receiver)
                                        : latency::QpOwner::board(plan.board)};
}

roce::RegistrationConfig registration_of(const config::RegistrationSettings& r, std::uint32_t packet) {
  roce::RegistrationConfig c;
  c.packet = packet;
  c.mask_bits = r.mask_bits;
  c.entries = r.entries;
  c.escape = r.escape;
  c.escape_timeout = r.escape_timeout;
  c.entry_timeout = r.entry_timeout;
  c.remember = r.remember;
  c.open_length = true;
  return c;
}

/// Returns where the times of the board's transfers to a receiver of this process are recorded.
engine::TransferTimes* transfer_times(const config::RunConfig& config, const QpPlan& plan, Endpoints& out) {
  auto& times = out.transfers[*plan.target.receiver][plan.board];
  if (!times) {
    times = std::make_unique<engine::TransferTimes>();
    times->post_delay = config.boards[plan.board].post_delay;
  }
  return times.get();
}

/// Completes the configurations of both sides of a QP that sends transfers. `receivers`: of this process.
void add_transfer(const config::RunConfig& config, const QpPlan& plan, Endpoints& out,
                  engine::SendQpConfig& qp, std::vector<engine::ReceiverConfig>& receivers) {
  const config::TransferConfig& t = *plan.config->traffic.transfer;
  const std::optional<std::size_t> r = plan.target.receiver;
  if (plan.number == 0) {
    out.transfer_groups.push_back(
        {r, t.registered,
         std::make_unique<engine::TransferProgress>(static_cast<std::uint32_t>(t.segments()),
                                                    plan.config->count, qp.traffic.slots)});
  }
  qp.traffic.transfer = {.segments = static_cast<std::uint32_t>(t.segments()),
                         .group = plan.config->count,
                         .sender_notifies = t.notify_sender,
                         .progress = t.notify_sender ? nullptr : out.transfer_groups.back().progress.get(),
                         .times = r ? transfer_times(config, plan, out) : nullptr};
  qp.traffic.plan = board::MessagePlan::of(t.bytes, t.segment_bytes());
  qp.traffic.immediate = plan.number;
  if (r && !receivers[*r].registration)
    receivers[*r].registration = registration_of(config.receivers[*r].registration, t.segment_bytes());
}

/// Returns how many ranges of missing windows to record for each of a receiver's streams.
std::size_t ranges_per_stream(std::size_t streams) {
  constexpr std::size_t kMost = 1024, kLeast = 64, kOfAll = std::size_t{1} << 14;
  return std::clamp(kOfAll / std::max<std::size_t>(1, streams), kLeast, kMost);
}

/// `packets` is the number of packets of a message.
roce::WindowMapConfig window_map_of(const config::WindowsConfig& w, std::uint32_t packets, std::size_t qps) {
  roce::WindowMapConfig map;
  map.ring = w.ring;
  map.depth = w.depth;
  map.max_jump = w.max_jump;
  map.first_immediate = w.first_immediate;
  map.packets_per_message = packets;
  map.ranges_per_stream = ranges_per_stream(qps);
  return map;
}

/// Returns the configuration of the QPs that the board's metadata bus may create.
engine::BusConfig bus_of(const config::BoardConfig& board, const Payloads& payloads,
                         std::uint32_t largest_pmtu) {
  const config::ControlConfig& c = *board.control;
  engine::BusConfig bus;
  bus.slots = c.qps;
  bus.qp.requester.send_queue_depth = c.send_queue;
  bus.qp.requester.window_requests = c.window;
  bus.qp.requester.timing = board.timing;
  bus.qp.path = path_of(board.endpoint, board.endpoint.ip);
  bus.qp.payload = &payloads.of_bus();
  bus.qp.known_crc = board.icrc == config::IcrcMethod::kKnown;
  bus.qp.congestion = bus_congestion(board);
  bus.source_port = board.udp_source_port;
  bus.largest_pmtu = largest_pmtu;
  if (c.remote) bus.destination.ip = *c.remote;
  return bus;
}

engine::TrafficGenConfig traffic_gen_of(const config::RunConfig& config, const config::BoardConfig& board,
                                        const Payloads& payloads, Time slack) {
  const config::TrafficGenConfig& t = *board.traffic_gen;
  constexpr std::uint32_t kIpAndUdp = roce::kIpv4Size + roce::kUdpHeaderSize;
  engine::TrafficGenConfig g;
  g.settings = t.registers;
  g.start = t.start;
  g.waits = t.given && !t.start;
  g.qps = t.makes_qps() ? board.qps.front().count : 0;
  g.payload = &payloads.of_traffic_gens();
  g.path = path_of(board.endpoint, board.endpoint.ip);
  g.largest_datagram = config.ports[board.endpoint.port].mtu.value_or(1500) - kIpAndUdp;
  g.rate = board.link_rate.value_or(0);
  g.slack = slack;
  return g;
}

/// Gives `receiver` one slot per QP that the bus of `board` may create.
HostPlan make_host(const config::RunConfig& config, const config::BoardConfig& board,
                   engine::ReceiverConfig& receiver) {
  HostPlan plan;
  plan.receiver = *board.control->responder;
  plan.first_slot = receiver.qps.size() + receiver.slots.size();
  const config::ReceiverConfig& c = config.receivers[plan.receiver];
  plan.memory = std::make_unique<HostMemory>(c.memory);
  receiver.slots.resize(receiver.slots.size() + board.control->qps,
                        {.reply_path = path_of(c.endpoint, board.endpoint.ip)});
  return plan;
}

/// Creates the endpoints of one worker from their configurations.
void make_of_worker(const config::RunConfig& config, std::size_t worker,
                    const std::vector<engine::BoardConfig>& boards,
                    const std::vector<engine::ReceiverConfig>& receivers, Endpoints& out) {
  for (std::size_t b = 0; b < boards.size(); ++b) {
    const config::EndpointConfig& e = config.boards[b].endpoint;
    if (e.worker != worker) continue;
    out.boards[b] = std::make_unique<engine::Board>(boards[b]);
    add_neighbours(*out.boards[b], e);
  }
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    const config::EndpointConfig& e = config.receivers[r].endpoint;
    if (e.worker != worker) continue;
    out.receivers[r] = std::make_unique<engine::Receiver>(receivers[r]);
    add_neighbours(*out.receivers[r], e);
  }
}

}  // namespace

const config::CongestionConfig& congestion_config_of(const config::BoardConfig& board,
                                                     const config::QpConfig& qp) {
  return qp.congestion ? *qp.congestion : board.congestion;
}

engine::CongestionSettings congestion_of(const config::CongestionConfig& d) {
  switch (d.algorithm) {
    case config::CongestionConfig::Algorithm::kFirmware:
      return d.firmware;
    case config::CongestionConfig::Algorithm::kPaper:
      return d.paper;
    case config::CongestionConfig::Algorithm::kOther:
      return d.other;
    case config::CongestionConfig::Algorithm::kOff:
      break;
  }
  return {};
}

dcqcn::FirmwareSettings bus_congestion(const config::BoardConfig& board) {
  if (board.congestion.algorithm == config::CongestionConfig::Algorithm::kFirmware)
    return board.congestion.firmware;
  return {};
}

engine::Identity identity_of(const config::EndpointConfig& e) {
  return {e.mac, e.ip, e.prefix_length, tag_of(e), e.gateway};
}

static_assert(engine::NextHops::kMost == config::kMostNextHops);

void add_neighbours(engine::Endpoint& endpoint, const config::EndpointConfig& e) {
  for (const config::Neighbour& n : e.neighbours) endpoint.host().neighbours().set_static(n.ip, n.mac);
}

Endpoints make_listeners(const config::RunConfig& config) {
  Endpoints out;
  for (const auto& b : config.boards) {
    out.boards.push_back(std::make_unique<engine::Board>(
        engine::BoardConfig{identity_of(b.endpoint), 0, {}, {}, pause_of(b.endpoint)}));
    add_neighbours(*out.boards.back(), b.endpoint);
  }
  for (const auto& r : config.receivers) {
    out.receivers.push_back(std::make_unique<engine::Receiver>(
        engine::ReceiverConfig{identity_of(r.endpoint), {}, {}, {}, pause_of(r.endpoint)}));
    add_neighbours(*out.receivers.back(), r.endpoint);
  }
  return out;
}

Endpoints make_endpoints(const config::RunConfig& config, const Plans& plans, const Payloads& payloads,
                         const std::vector<std::uint32_t>& largest_pmtus, Time network_slack,
                         const ForWorker& for_worker, std::pmr::memory_resource* memory,
                         std::span<latency::Stamps* const> stamps, const EventServices& services) {
  Endpoints out;
  out.events = make_event_data(config, services);
  out.transfers.resize(config.receivers.size());
  std::vector<engine::BoardConfig> boards;
  std::vector<engine::ReceiverConfig> receivers;
  for (const auto& b : config.boards) {
    boards.push_back({identity_of(b.endpoint), b.link_rate.value_or(0), {}, {}, pause_of(b.endpoint)});
    boards.back().memory = memory;
    boards.back().cc_port = b.endpoint.cc_header ? config.run.cc_port : std::uint16_t{0};
    if (b.endpoint.network) boards.back().link_slack = network_slack;
    if (shaped_by_port(config, b)) {
      boards.back().pause.link_rate = boards.back().link_rate;
      boards.back().link_rate = 0;
    }
    boards.back().qps.reserve(
        std::accumulate(b.qps.begin(), b.qps.end(), std::size_t{0},
                        [](std::size_t n, const config::QpConfig& qp) { return n + qp.count; }));
    if (b.traffic_gen)
      boards.back().traffic_gen = traffic_gen_of(config, b, payloads, boards.back().link_slack);
    if (b.control) boards.back().bus = bus_of(b, payloads, largest_pmtus[b.endpoint.port]);
  }
  for (std::size_t r = 0; r < config.receivers.size(); ++r) {
    const auto& c = config.receivers[r];
    receivers.push_back({identity_of(c.endpoint), notification_of(c.cnp), {}, {}, pause_of(c.endpoint)});
    receivers.back().cc_port = c.endpoint.cc_header ? config.run.cc_port : std::uint16_t{0};
    if (c.streams) receivers.back().streams = {.buffers = c.streams->buffers, .hold = c.streams->hold};
    receivers.back().qps.reserve(plans.receiver_qps(r));
    receivers.back().response_delay = c.response_delay;
    if (!stamps.empty()) receivers.back().stamps = {stamps[c.endpoint.worker], latency::QpOwner::receiver(r)};
    for_worker(c.endpoint.worker, [&] {
      const std::uint64_t regions = c.events ? 1 : plans.receiver_qps(r);
      out.memories.push_back(std::make_unique<ReceiverMemory>(c.memory * regions));
    });
  }
  CongestionGroups groups;
  RandomTraffic random(config);
  for (const QpPlan& plan : plans.all()) {
    const config::CongestionConfig& congestion =
        congestion_config_of(config.boards[plan.board], *plan.config);
    engine::SendQpConfig qp = send_qp(config.boards[plan.board], plan, payloads);
    qp.congestion = congestion_of(congestion);
    qp.congestion_group = groups.of(plan, congestion);
    qp.times = random.of(plan);
    qp.traffic.immediate += first_immediate(config, plan);
    qp.start_after += config.boards[plan.board].post_delay;
    if (!stamps.empty()) {
      qp.traffic.stamps = stamps_of(plan, *stamps[config.boards[plan.board].endpoint.worker]);
      qp.traffic.post_delay = config.boards[plan.board].post_delay;
    }
    if (plan.config->traffic.transfer) add_transfer(config, plan, out, qp, receivers);
    if (const auto& generator = config.boards[plan.board].traffic_gen; generator && generator->makes_qps())
      qp.payload = &payloads.of_traffic_gens();
    boards[plan.board].qps.push_back(std::move(qp));
    if (plan.target.receiver) {
      const std::size_t r = *plan.target.receiver;
      receivers[r].qps.push_back(receive_qp(config, plan, payloads, *out.memories[r], plans.receiver_qps(r)));
      if (config.receivers[r].any_order && !receivers[r].unordered) {
        receivers[r].unordered =
            roce::UnorderedConfig{.pmtu = plan.config->pmtu, .timeout = config.receivers[r].ordering_timeout};
      }
      if (const auto& windows = config.receivers[r].windows; windows && !receivers[r].windows) {
        const std::uint32_t packets = (plan.config->traffic.message_size - 1) / plan.config->pmtu + 1;
        receivers[r].windows = window_map_of(*windows, packets, plans.receiver_qps(r));
      }
      if (congestion.algorithm != config::CongestionConfig::Algorithm::kOther) continue;
      congestion::AlgorithmSettings settings = congestion.other;
      settings.path.pmtu = plan.config->pmtu;
      if (const auto homa = congestion::homa_parameters(settings)) {
        receivers[r].homa = *homa;
        receivers[r].qps.back().grants = true;
      }
    }
  }
  for (std::size_t b = 0; b < boards.size(); ++b) {
    if (config.boards[b].events) boards[b].events = event_sender_of(config, b, out.events);
  }
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    if (!config.receivers[r].events) continue;
    receivers[r].events = event_receiver_of(config, r, out.events, kRegionBase, out.memories[r]->data());
    if (services.recorder_of) receivers[r].events->recorder = services.recorder_of(r);
  }
  out.messages = random.take_boards();
  out.hosts.resize(boards.size());
  for (std::size_t b = 0; b < boards.size(); ++b) {
    const auto& control = config.boards[b].control;
    if (control && control->responder)
      out.hosts[b] = make_host(config, config.boards[b], receivers[*control->responder]);
  }
  out.boards.resize(boards.size());
  out.receivers.resize(receivers.size());
  for (std::size_t w = 0; w < config.workers.count; ++w) {
    for_worker(w, [&] { make_of_worker(config, w, boards, receivers, out); });
  }
  return out;
}

void close_maps(const Plans& plans, const std::vector<engine::EndpointSnapshot>& final, Time now,
                Endpoints& endpoints) {
  std::vector<std::uint64_t> most(endpoints.receivers.size(), 0);
  for (const QpPlan& plan : plans.all()) {
    if (!plan.target.receiver) continue;
    const engine::SendQpSnapshot& qp = final[plan.board].send_qps[plan.on_board];
    const std::uint64_t sent =
        plan.config->transport == roce::Transport::kRc ? qp.requester.messages_completed : qp.messages_made;
    const std::size_t r = *plan.target.receiver;
    if (endpoints.receivers[r]->events() != nullptr) continue;
    const engine::TrafficGen* const generator = endpoints.boards[plan.board]->traffic_gen();
    if (generator != nullptr && plan.on_board < generator->qps()) continue;  // its messages have no numbers
    endpoints.receivers[r]->qp(plan.target.receiver_qp).finish(sent);
    most[r] = std::max(most[r], sent);
  }
  for (std::size_t r = 0; r < most.size(); ++r) endpoints.receivers[r]->finish_windows(most[r], now);
  for (const auto& receiver : endpoints.receivers) {
    if (receiver->streams() != nullptr) receiver->streams()->finish(now);
    engine::EventReceiver* const events = receiver->events();
    if (events != nullptr) events->finish(now, endpoints.events.events(*events->config().triggers));
  }
}

std::uint64_t not_sent(const Plans& plans, const std::vector<engine::EndpointSnapshot>& final,
                       const Endpoints& endpoints, std::size_t receiver) {
  const roce::WindowMap* const map = endpoints.receivers[receiver]->windows();
  std::uint64_t sum = 0;
  for (const QpPlan& plan : plans.all()) {
    if (map == nullptr || plan.target.receiver != receiver) continue;
    const std::uint64_t sent = final[plan.board].send_qps[plan.on_board].messages_made;
    sum += map->base() - std::min(map->base(), sent);
  }
  return sum;
}

}  // namespace softfeb::endpoints
