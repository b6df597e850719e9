// SPDX-License-Identifier: BSD-3-Clause
#include "steady_rig.hpp"

#include "dataplane/path_mtu.hpp"
#include "dataplane/run_clock.hpp"
#include "engine/control_frame.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

namespace softfeb::steady {

namespace {

constexpr std::uint32_t kPmtu = 1024;
constexpr std::uint32_t kMessage = 8 * kPmtu;
constexpr std::uint32_t kRegion = kSlots * kMessage;
constexpr std::uint64_t kRate = 20'000'000;  // bytes per second of each QP
constexpr std::uint64_t kEvery = 64;         // iterations between two injected frames
constexpr unsigned kLcores = 3;
/// Longest frame, with a congestion control header of the largest size.
constexpr std::uint32_t kFrame = dataplane::frame_bytes_for(dataplane::mtu_for(kPmtu, false)) +
                                 std::uint32_t{roce::CongestionHeader::kMaxSize};

engine::Identity board_identity(std::uint32_t b) { return test::identity(1 + b); }
engine::Identity receiver_identity() { return test::identity(100); }
engine::Identity stranger() { return test::identity(200); }

roce::Qpn qpn_of(std::uint32_t board, std::uint32_t qp) { return 0x100 + board * 0x100 + qp; }

test::Bytes cnp_for(std::uint32_t board, std::uint32_t qp) {
  return test::cnp(test::path(receiver_identity(), board_identity(board)), qpn_of(board, qp));
}

test::Bytes arp_request_for(std::uint32_t board) {
  const engine::Identity to = board_identity(board);
  const engine::Identity from = stranger();
  test::Bytes f(6, 0xff);
  f.insert(f.end(), from.mac.begin(), from.mac.end());
  f.insert(f.end(), {8, 6, 0, 1, 8, 0, 6, 4, 0, 1});
  f.insert(f.end(), from.mac.begin(), from.mac.end());
  const auto add = [&f](const roce::IpAddress& ip) {
    for (int shift = 24; shift >= 0; shift -= 8) f.push_back(static_cast<std::uint8_t>(ip.v4() >> shift));
  };
  add(from.ip);
  f.insert(f.end(), 6, 0);
  add(to.ip);
  f.resize(60);
  return f;
}

test::Bytes datagram_for(std::uint32_t board) {
  const engine::Identity to = board_identity(board);
  const test::Bytes payload(24, 0x5a);
  test::Bytes f(engine::control_frame_overhead(stranger()) + payload.size());
  engine::write_control_frame(stranger(), {to.mac, to.ip, engine::kRegisterUdpPort, 40'000}, payload, 1,
                              f.data());
  return f;
}

}  // namespace

SteadyRig::SteadyRig(const SteadyConfig& config) : config_(config), clock_(dataplane::start_clock()) {
  make_payload();
  if (config_.events) {
    make_event_boards();
  } else {
    make_boards();
  }
  make_ports();
  for (unsigned w = 0; w < config_.workers; ++w) {
    workers_.push_back(std::make_unique<dataplane::Worker>(w + 1, config_.idle, clock_));
    probes_.push_back(std::make_unique<Probe>());
  }
  for (auto& b : boards_) workers_[0]->add_board(*b);
  const std::vector<std::uint16_t> queues =
      config_.workers == 1 ? std::vector<std::uint16_t>{0} : std::vector<std::uint16_t>{0, 1};
  make_port_queue(0, 0, queues);
  if (receiver_) {
    const unsigned owner = config_.workers - 1;
    workers_[owner]->add_receiver(*receiver_);
    make_port_queue(1, 0, config_.workers == 1 ? queues : std::vector<std::uint16_t>{0});
    // The second worker owns the receiver, but all packets arrive in the queue of the first worker. The first
    // worker therefore hands them over.
    if (config_.workers == 2) make_port_queue(1, 1, {1});
  }
  if (triggers_) triggers_->begin(clock_.time(rte_rdtsc()), {});
  for (auto& w : workers_) w->launch();
  for (auto& w : workers_) w->command(dataplane::StartTraffic{0});
}

void SteadyRig::stop() {
  if (stopped_) return;
  stopped_ = true;
  for (auto& w : workers_) w->command(dataplane::Quit{});
  for (auto& w : workers_) w->join();
}

std::vector<faults::RuleCounters> SteadyRig::rule_counters() const {
  std::vector<faults::RuleCounters> all;
  for (const auto& f : faults_) all.insert(all.end(), f->rule_counters().begin(), f->rule_counters().end());
  return all;
}

SteadyRig::~SteadyRig() {
  stop();
  // Remove the callbacks. They are registered for the port number, which the next port reuses.
  for (std::size_t i = 0; i < callbacks_.size(); ++i) {
    const std::uint16_t queue = i == 0 ? 0 : 1;  // see hook()
    rte_eth_remove_rx_callback(ports_[i]->id(), queue, callbacks_[i]);
  }
  workers_.clear();
}

void SteadyRig::make_payload() {
  payload_ =
      board::make_payload({.kind = board::PayloadKind::kCounter, .message_length = kMessage, .pmtu = kPmtu});
  payload_->fill(rig_.arena.allocate(payload_->arena_bytes()));
  for (std::uint32_t b = 0; b < 2; ++b) {
    injected_.push_back(arp_request_for(b));
    injected_.push_back(datagram_for(b));
    if (config_.ring) continue;
    for (std::uint32_t q = 0; q < kQps; ++q) injected_.push_back(cnp_for(b, q));
  }
}

engine::CongestionSettings SteadyRig::congestion(bool changed) const {
  if (config_.algorithm.empty()) {
    dcqcn::FirmwareSettings firmware;
    if (changed) firmware.parameters.rai *= 2;
    return firmware;
  }
  const congestion::Algorithm& algorithm = *congestion::find_algorithm(config_.algorithm);
  const congestion::PathFacts path{.pmtu = kPmtu};
  congestion::AlgorithmSettings settings{&algorithm, algorithm.defaults(path), path};
  const auto parameters = algorithm.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    // If a worker is preempted, it measures long delays. The minimum window keeps the boards sending.
    if (parameters[i].name == "min_cwnd") settings.values[i] = 2;
    // Make most packets of a message wait for a grant.
    if (parameters[i].name == "rtt_bytes") settings.values[i] = 2 * kPmtu;
    const bool step =
        parameters[i].name == "delta" || parameters[i].name == "ai" || parameters[i].name == "w_ai";
    if (changed && step) settings.values[i] *= 2;
  }
  return settings;
}

void SteadyRig::make_boards() {
  memory_.resize(2 * kQps * kRegion);
  test::ReceiverBuilder receiver(receiver_identity());
  if (!config_.algorithm.empty()) receiver.config.cc_port = roce::kCongestionUdpPort;
  for (std::uint32_t b = 0; b < 2; ++b) {
    test::BoardBuilder board(board_identity(b));
    board.config.link_rate = 1'250'000'000;
    if (!config_.algorithm.empty()) board.config.cc_port = roce::kCongestionUdpPort;
    for (std::uint32_t q = 0; q < kQps; ++q) {
      engine::SendQpConfig& qp = board.qp(receiver_identity(), *payload_, kPmtu);
      qp.requester.transport = config_.ring ? roce::Transport::kRc : roce::Transport::kUc;
      qp.requester.qpn = qp.requester.dest_qpn = qpn_of(b, q);
      qp.requester.timeout = 8;  // 1 ms
      qp.requester.retry_count = 7;
      qp.known_crc = b == 0;
      qp.congestion = congestion(false);
      qp.traffic.verb = roce::WrOpcode::kWriteImm;
      qp.traffic.rate_kind = engine::RateKind::kPayloadBytes;
      qp.traffic.rate = kRate;
      qp.traffic.remote_address = (b * kQps + q) * kRegion;
      qp.traffic.slots = kSlots;
      MutableByteSpan memory = MutableByteSpan(memory_).subspan(qp.traffic.remote_address, kRegion);
      if (config_.detector) memory = make_detector(b, q, qp, memory);
      engine::ReceiveQpSetup& setup = receiver.qp(qp, memory);
      test::expect_payload(setup, *payload_);
      if (config_.detector && b == 0) setup.transfer_source = 0;
    }
    boards_.push_back(board.build());
  }
  if (config_.detector) {
    receiver.config.windows = roce::WindowMapConfig{.ring = 16, .depth = 8};
    receiver.config.registration =
        roce::RegistrationConfig{.packet = kMessage, .escape_timeout = kSecond, .open_length = true};
  }
  if (config_.ring) receiver_ = receiver.build();
}

/// Builds boards whose fragments have several pieces of several packets each. Their FIFOs fill while packets
/// are retransmitted.
void SteadyRig::make_event_boards() {
  const detector::EventLayout layout{.boards = 2, .slots = 64, .slot = 8192, .piece = 3000};
  memory_.resize(layout.memory());
  event_payload_ = std::make_unique<detector::CounterPayload>(
      detector::FragmentSizes{0, 7500, detector::FragmentSizes::Shape::kUniform, 5}, layout.piece,
      layout.largest());
  engine::TriggerBusConfig triggers;
  triggers.sources = {{.rate_hz = 20'000, .seed = 7}};
  triggers.boards = 2;
  triggers_ = std::make_unique<dataplane::SharedTriggers>(triggers);
  test::ReceiverBuilder receiver(receiver_identity());
  for (std::uint32_t b = 0; b < 2; ++b) {
    test::BoardBuilder board(board_identity(b));
    engine::EventSenderConfig events;
    events.fifo.layout = layout;
    events.fifo.board = static_cast<std::uint16_t>(b);
    events.fifo.busy_at = 12;
    events.pmtu = kPmtu;
    events.payload = event_payload_.get();
    events.triggers = triggers_.get();
    events.reports_as = b;
    engine::SendQpConfig& qp = board.qp(receiver_identity(), *payload_, kPmtu);
    qp.requester.qpn = qp.requester.dest_qpn = qpn_of(b, 0);
    qp.requester.timeout = 8;  // 1 ms
    qp.requester.retry_count = 7;
    qp.requester.send_queue_depth = engine::EventSender::send_queue_needed(events.fifo);
    qp.requester.window_requests = qp.requester.send_queue_depth;
    qp.traffic.messages = 0;
    receiver.qp(qp, memory_);
    board.config.events = events;
    boards_.push_back(board.build());
  }
  receiver.config.events = engine::EventReceiverConfig{.layout = layout,
                                                       .address = test::kRemoteAddress,
                                                       .memory = memory_.data(),
                                                       .expected = event_payload_.get(),
                                                       .triggers = triggers_.get()};
  receiver_ = receiver.build();
}

/// Configures `qp` of `board`. All queue pairs of board 0 share registered transfers, and each queue pair
/// sends one segment of each transfer. A queue pair of the other board sends a UC stream. Returns the memory
/// to which `qp` writes.
MutableByteSpan SteadyRig::make_detector(std::uint32_t board, std::uint32_t number, engine::SendQpConfig& qp,
                                         MutableByteSpan memory) {
  if (board != 0) {
    qp.requester.transport = roce::Transport::kUc;
    qp.traffic.immediate_kind = engine::ImmediateKind::kCounter;
    return memory;
  }
  qp.traffic.remote_address = 0;
  qp.traffic.plan = board::MessagePlan::of(kQps * kMessage, kMessage);
  qp.traffic.immediate = number;
  qp.traffic.transfer = {.segments = kQps, .group = kQps, .progress = &progress_, .times = &times_};
  return MutableByteSpan(memory_).first(kQps * kRegion);
}

void SteadyRig::make_ports() {
  test::RigPortConfig c;
  c.device = config_.ring ? "net_ring:steady" : "net_null";
  c.frame_bytes = kFrame;
  c.ring = c.held = 512;
  c.workers = config_.workers;
  c.port.queues = static_cast<std::uint16_t>(config_.workers);
  c.port.lcores = kLcores;
  c.port.rx_descriptors = c.port.tx_descriptors = 512;
  for (int end = 0; end < (config_.ring ? 2 : 1); ++end)
    ports_.push_back(std::make_unique<test::RigPort>(rig_, c));
  for (auto& b : boards_) ports_[0]->add(*b);
  if (receiver_) ports_[1]->add(*receiver_, config_.workers - 1);
  outside_ = rig_.pools.create("frames from outside", dataplane::pool_size(2048, kLcores), 256);
}

void SteadyRig::make_port_queue(std::size_t port, unsigned worker, std::vector<std::uint16_t> rx_queues) {
  exchanges_.push_back(std::make_unique<dataplane::ControlExchange>());
  captures_.push_back(std::make_unique<dataplane::Capture>(
      dataplane::CaptureConfig{dataplane::CaptureMode::kOnError, 500, 128, kFrame}));
  test::RigPort::Queue queue{.worker = worker, .rx_queues = std::move(rx_queues)};
  queue.parts.control = &exchanges_.back()->received();
  queue.parts.control_frames = &exchanges_.back()->to_send();
  queue.parts.rx_capture = queue.parts.tx_capture = captures_.back().get();
  if (config_.ring && port == 0) {
    constexpr std::uint64_t kPerMille = (std::uint64_t{1} << 32) / 1000;
    const faults::FaultRates rates{2 * kPerMille, kPerMille, kPerMille, kPerMille, 20 * kPerMille};
    faults_.push_back(std::make_unique<dataplane::FaultInjector>(
        faults::FaultPlan(7, rates), kFrame, 512, kLcores, rig_.pools, roce::kCongestionUdpPort,
        config_.rules ? make_rules(faults::Direction::kTx) : faults::FaultRules()));
    queue.parts.tx_faults = faults_.back().get();
    if (config_.rules) {
      faults_.push_back(std::make_unique<dataplane::FaultInjector>(faults::FaultPlan(), kFrame, 512, kLcores,
                                                                   rig_.pools, roce::kCongestionUdpPort,
                                                                   make_rules(faults::Direction::kRx)));
      queue.parts.rx_faults = faults_.back().get();
    }
  }
  workers_[worker]->add_port_queue(ports_[port]->make_queue(queue));
  if (port == 0 || worker == 1) hook(port, *probes_[worker]);
}

faults::FaultRules SteadyRig::make_rules(faults::Direction direction) const {
  using faults::ActionKind;
  std::vector<faults::FaultRule> rules;
  for (unsigned kind = 0; kind <= static_cast<unsigned>(ActionKind::kReplay); ++kind) {
    faults::FaultRule rule;
    rule.on.direction = direction;
    rule.on.every = 40 + kind;
    if (kind % 2 == 0 && direction == faults::Direction::kTx) rule.on.iteration = 1;
    rule.action = {.kind = static_cast<ActionKind>(kind), .value = 2, .delay = 200 * kMicrosecond, .mask = 1};
    if (rule.action.kind == ActionKind::kSetTtl) rule.action.value = 60;
    rule.action.old = {true, 3, 3};
    rules.push_back(rule);
  }
  std::vector<faults::FaultQp> qps;
  for (std::uint32_t b = 0; b < 2; ++b) {
    for (std::uint32_t q = 0; q < kQps; ++q) {
      faults::FaultQp qp{board_identity(b).ip, receiver_identity().ip, qpn_of(b, q), 0, {}, direction};
      if (direction == faults::Direction::kRx) std::swap(qp.source, qp.dest);
      for (std::uint32_t r = 0; r < rules.size(); ++r) qp.rules.push_back(r);
      qps.push_back(std::move(qp));
    }
  }
  return {rules, qps};
}

void SteadyRig::hook(std::size_t port, Probe& probe) {
  Hook& h = hooks_[port];
  h.rig = this;
  h.probe = &probe;
  h.board_side = port == 0;
  const std::uint16_t queue = port == 0 ? 0 : 1;
  callbacks_.push_back(rte_eth_add_rx_callback(
      ports_[port]->id(), queue,
      [](std::uint16_t, std::uint16_t, rte_mbuf** packets, std::uint16_t n, std::uint16_t room, void* self) {
        Hook& mine = *static_cast<Hook*>(self);
        mine.probe->turn();
        return mine.board_side ? mine.rig->inject(mine.calls++, packets, n, room) : n;
      },
      &h));
}

std::uint16_t SteadyRig::inject(std::uint64_t call, rte_mbuf** packets, std::uint16_t n, std::uint16_t room) {
  if (call % kEvery != 0 || n == room) return n;
  packets[n] = test::packet(outside_, injected_[call / kEvery % injected_.size()]);
  return packets[n] == nullptr ? n : static_cast<std::uint16_t>(n + 1);
}

dataplane::WorkerStats SteadyRig::totals() const { return workers_[0]->totals(); }

/// Drops the received slow-control datagrams. Called continuously in place of the control thread.
void SteadyRig::drain_control() {
  for (auto& e : exchanges_) control_datagrams_ += e->drop_received();
}

void SteadyRig::run(std::uint64_t packets) {
  const std::uint64_t until = totals().port_queues.tx_packets + packets;
  for (int i = 0; totals().port_queues.tx_packets < until; ++i) {
    if (i == 10'000) throw std::runtime_error("the boards do not send");
    drain_control();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Traffic SteadyRig::traffic() {
  Traffic t;
  for (auto& w : workers_) {
    dataplane::SnapshotRequest request;
    for (const engine::Endpoint* e : w->endpoints()) request.endpoints.push_back(engine::make_snapshot(*e));
    w->command(&request);
    while (!request.done.load(std::memory_order_acquire)) {
      drain_control();
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    for (const engine::EndpointSnapshot& e : request.endpoints) {
      t.arp_requests += e.host.arp_requests_rx;
      t.grants += e.grant_tx;
      t.transfers += e.transfers_notified;
      if (e.windows) t.windows += e.windows->windows();
      for (const engine::SendQpSnapshot& qp : e.send_qps) {
        t.packets += qp.requester.packets;
        t.retransmitted += qp.requester.retransmitted_packets;
        t.timeouts += qp.requester.timeouts;
        t.acknowledgements += qp.requester.ack_rx;
        t.naks += qp.requester.nak_sequence_rx;
        t.cnps += qp.counters.cnp_rx;
      }
      for (const engine::ReceiveQpSnapshot& qp : e.receive_qps)
        t.received_bytes += qp.responder.payload_bytes;
    }
  }
  if (triggers_) t.triggers = triggers_->accepted();
  t.control = control_datagrams_;
  return t;
}

void SteadyRig::command() {
  dataplane::BoardRequest access;
  access.board = boards_[0].get();
  access.actions.push_back(board::SetDcqcn{0, {}});
  access.actions.push_back(board::SetTrafficClass{26, 2});
  const auto qps = static_cast<std::uint32_t>(boards_[1]->qp_count());
  access.state.qps = {{.qp = 0}, {.qp = qps - 1}};
  dataplane::CongestionChange change;
  change.board = boards_[1].get();
  change.count = qps;
  change.profile = congestion(true);
  workers_[0]->request(access);
  workers_[0]->command(&change);
  while (!access.done.load(std::memory_order_acquire) || !change.done.load(std::memory_order_acquire)) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

}  // namespace softfeb::steady
