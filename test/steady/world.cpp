// SPDX-License-Identifier: BSD-3-Clause
#include "world.hpp"

#include "dataplane/run_clock.hpp"
#include "engine/control_frame.hpp"
#include "roce/craft.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

namespace softfeb::steady {

namespace {

constexpr std::uint32_t kQps = 16;  // per board
constexpr std::uint32_t kPmtu = 1024;
constexpr std::uint32_t kMessage = 8 * kPmtu;
constexpr std::uint32_t kSlots = 4;  // messages in a QP's memory
constexpr std::uint32_t kRegion = kSlots * kMessage;
constexpr std::uint32_t kRkey = 0x77;
constexpr std::uint64_t kRate = 20'000'000;  // bytes per second and QP
constexpr std::uint64_t kEvery = 64;         // iterations between two injected frames
constexpr unsigned kLcores = 3;

engine::Identity steady_identity(std::uint8_t last) {
  engine::Identity id;
  id.mac = {2, 0, 0, 0, 0, last};
  id.ip = roce::IpAddress::parse("10.0.0.0")->plus(last);
  return id;
}
engine::Identity board_identity(std::uint32_t b) { return steady_identity(static_cast<std::uint8_t>(1 + b)); }
engine::Identity receiver_identity() { return steady_identity(100); }
engine::Identity stranger() { return steady_identity(200); }

roce::Path path_between(const engine::Identity& from, const engine::Identity& to) {
  roce::Path p;
  p.source_mac = from.mac;
  p.dest_mac = to.mac;
  p.source_ip = from.ip;
  p.dest_ip = to.ip;
  return p;
}

roce::Qpn qpn_of(std::uint32_t board, std::uint32_t qp) { return 0x100 + board * 0x100 + qp; }

std::vector<std::uint8_t> cnp_for(std::uint32_t board, std::uint32_t qp) {
  std::vector<std::uint8_t> frame(128);
  std::array<std::uint8_t, 8> trailer{};
  const roce::Crafted c =
      roce::craft_cnp(roce::HeaderTemplate(path_between(receiver_identity(), board_identity(board))),
                      qpn_of(board, qp), roce::kDefaultPkey, 0, frame.data(), trailer.data());
  frame.resize(c.header_length);
  frame.insert(frame.end(), trailer.begin(), trailer.begin() + c.trailer_length);
  return frame;
}

std::vector<std::uint8_t> arp_request_for(std::uint32_t board) {
  const engine::Identity to = board_identity(board);
  const engine::Identity from = stranger();
  std::vector<std::uint8_t> f(6, 0xff);
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

std::vector<std::uint8_t> datagram_for(std::uint32_t board) {
  const engine::Identity to = board_identity(board);
  const std::vector<std::uint8_t> payload(24, 0x5a);
  std::vector<std::uint8_t> f(engine::control_frame_overhead(stranger()) + payload.size());
  engine::write_control_frame(stranger(), {to.mac, to.ip, engine::kRegisterUdpPort, 40'000}, payload, 1,
                              f.data());
  return f;
}

}  // namespace

World::World(const WorldConfig& config) : config_(config), clock_(dataplane::start_clock()) {
  make_payload();
  make_boards();
  if (config_.ring) make_receiver();
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
    // Polls a queue without traffic: everything it receives is handed over.
    if (config_.workers == 2) make_port_queue(1, 1, {1});
  }
  for (auto& w : workers_) w->launch();
  for (auto& w : workers_) w->command(dataplane::StartTraffic{0});
}

World::~World() {
  for (auto& w : workers_) w->command(dataplane::Quit{});
  for (auto& w : workers_) w->join();
  // Callbacks stay with the port number, which the next port reuses.
  for (std::size_t i = 0; i < callbacks_.size(); ++i) {
    const bool second = i == 2;  // see hook()
    rte_eth_remove_rx_callback(ports_[std::min<std::size_t>(i, 1)]->id(), second ? 1 : 0, callbacks_[i]);
  }
  workers_.clear();
  for (auto& port : ports_) port.reset();
}

void World::make_payload() {
  payload_ =
      board::make_payload({.kind = board::PayloadKind::kCounter, .message_length = kMessage, .pmtu = kPmtu});
  payload_->fill(arena_.allocate(payload_->arena_bytes()));
  for (std::uint32_t b = 0; b < 2; ++b) {
    injected_.push_back(arp_request_for(b));
    injected_.push_back(datagram_for(b));
    if (config_.ring) continue;
    for (std::uint32_t q = 0; q < kQps; ++q) injected_.push_back(cnp_for(b, q));
  }
}

void World::make_boards() {
  for (std::uint32_t b = 0; b < 2; ++b) {
    engine::BoardConfig c;
    c.identity = board_identity(b);
    c.link_rate = 1'250'000'000;
    for (std::uint32_t q = 0; q < kQps; ++q) {
      engine::SendQpConfig qp;
      qp.requester.transport = config_.ring ? roce::Transport::kRc : roce::Transport::kUc;
      qp.requester.qpn = qp.requester.dest_qpn = qpn_of(b, q);
      qp.requester.pmtu = kPmtu;
      qp.requester.timeout = 8;  // 1 ms
      qp.requester.retry_count = 7;
      qp.path = path_between(c.identity, receiver_identity());
      qp.peer_mac = receiver_identity().mac;
      qp.payload = payload_.get();
      qp.known_crc = b == 0;
      qp.congestion = dcqcn::FirmwareSettings{};
      qp.traffic.verb = roce::WrOpcode::kWriteImm;
      qp.traffic.plan = payload_->plan();
      qp.traffic.rate_kind = engine::RateKind::kPayloadBytes;
      qp.traffic.rate = kRate;
      qp.traffic.rkey = kRkey;
      qp.traffic.remote_address = (b * kQps + q) * kRegion;
      qp.traffic.slots = kSlots;
      c.qps.push_back(qp);
    }
    boards_.push_back(std::make_unique<engine::Board>(c));
  }
}

void World::make_receiver() {
  memory_.resize(2 * kQps * kRegion);
  engine::ReceiverConfig c;
  c.identity = receiver_identity();
  for (std::uint32_t b = 0; b < 2; ++b) {
    for (std::uint32_t q = 0; q < kQps; ++q) {
      const std::uint64_t at = (b * kQps + q) * kRegion;
      engine::ReceiveQpSetup s;
      s.qp.responder.qpn = s.qp.responder.dest_qpn = qpn_of(b, q);
      s.qp.responder.pmtu = kPmtu;
      s.qp.layout.emplace(kMessage, kPmtu, 0);
      s.qp.expected = payload_.get();
      s.qp.numbering = roce::MessageNumbering::kLayout;
      s.reply_path = path_between(receiver_identity(), board_identity(b));
      s.regions.push_back({at, kRegion, kRkey, memory_.data() + at});
      c.qps.push_back(s);
    }
  }
  receiver_ = std::make_unique<engine::Receiver>(c);
}

void World::make_ports() {
  const std::uint16_t queues = static_cast<std::uint16_t>(config_.workers);
  for (int end = 0; end < (config_.ring ? 2 : 1); ++end) {
    devices_.push_back(
        factory_.attach(dataplane::parse_device(config_.ring ? "net_ring:steady" : "net_null"),
                        {queues, dataplane::frame_bytes_for(dataplane::mtu_for(kPmtu, false)), 512}));
    dataplane::PortConfig p;
    p.queues = queues;
    p.lcores = kLcores;
    p.rx_descriptors = p.tx_descriptors = 512;
    ports_.push_back(std::make_unique<dataplane::Port>(*devices_.back(), p, pools_));
    arena_.map_for(ports_.back()->id());
    maps_.push_back(std::make_unique<dataplane::PortMap>(config_.workers));
  }
  for (auto& b : boards_) maps_[0]->add(*b, 0);
  if (receiver_) maps_[1]->add(*receiver_, config_.workers - 1);
  outside_ = pools_.create("frames from outside", dataplane::pool_size(2048, kLcores), 256);
}

void World::make_port_queue(std::size_t port, unsigned worker, std::vector<std::uint16_t> rx_queues) {
  const std::uint32_t frame = dataplane::frame_bytes_for(dataplane::mtu_for(kPmtu, false));
  dataplane::TxBuilderConfig b;
  b.multi_segments = ports_[port]->capabilities().multi_segments;
  b.frame_bytes = frame;
  b.descriptors = b.held = 512;
  b.lcores = kLcores;
  builders_.push_back(std::make_unique<dataplane::TxBuilder>(b, &arena_, pools_));
  exchanges_.push_back(std::make_unique<dataplane::ControlExchange>());
  captures_.push_back(std::make_unique<dataplane::Capture>(
      dataplane::CaptureConfig{dataplane::CaptureMode::kOnError, 500, 128, frame}));
  dataplane::PortQueueConfig c;
  c.port = ports_[port]->id();
  c.tx_queue = static_cast<std::uint16_t>(worker);
  c.rx_queues = std::move(rx_queues);
  c.worker = worker;
  dataplane::PortQueue::Deps parts;
  parts.map = maps_[port].get();
  parts.builder = builders_.back().get();
  parts.control = &exchanges_.back()->received();
  parts.control_frames = &exchanges_.back()->to_send();
  parts.rx_capture = parts.tx_capture = captures_.back().get();
  if (config_.ring && port == 0) {
    constexpr std::uint64_t kPerMille = (std::uint64_t{1} << 32) / 1000;
    const dataplane::FaultRates rates{2 * kPerMille, kPerMille, kPerMille, kPerMille, 20 * kPerMille};
    faults_.push_back(std::make_unique<dataplane::FaultInjector>(dataplane::FaultPlan(7, rates), frame, 512,
                                                                 kLcores, pools_));
    parts.tx_faults = faults_.back().get();
  }
  workers_[worker]->add_port_queue(std::make_unique<dataplane::PortQueue>(c, parts));
  if (port == 0 || worker == 1) hook(port, *probes_[worker]);
}

void World::hook(std::size_t port, Probe& probe) {
  Hook& h = hooks_[port];
  h.world = this;
  h.probe = &probe;
  h.board_side = port == 0;
  const std::uint16_t queue = port == 0 ? 0 : 1;
  callbacks_.push_back(rte_eth_add_rx_callback(
      ports_[port]->id(), queue,
      [](std::uint16_t, std::uint16_t, rte_mbuf** packets, std::uint16_t n, std::uint16_t room, void* self) {
        Hook& mine = *static_cast<Hook*>(self);
        mine.probe->turn();
        return mine.board_side ? mine.world->inject(mine.calls++, packets, n, room) : n;
      },
      &h));
}

std::uint16_t World::inject(std::uint64_t call, rte_mbuf** packets, std::uint16_t n, std::uint16_t room) {
  if (call % kEvery != 0 || n == room) return n;
  packets[n] = packet(injected_[call / kEvery % injected_.size()]);
  return packets[n] == nullptr ? n : static_cast<std::uint16_t>(n + 1);
}

rte_mbuf* World::packet(const std::vector<std::uint8_t>& frame) {
  rte_mbuf* const m = rte_pktmbuf_alloc(outside_);
  if (m == nullptr) return nullptr;
  std::copy(frame.begin(), frame.end(), rte_pktmbuf_mtod(m, std::uint8_t*));
  m->data_len = static_cast<std::uint16_t>(frame.size());
  m->pkt_len = m->data_len;
  return m;
}

dataplane::WorkerStats World::totals() const { return workers_[0]->totals(); }

/// Like the control thread, continuously.
void World::drain_control() {
  for (auto& e : exchanges_) control_datagrams_ += e->drop_received();
}

void World::run(std::uint64_t packets) {
  const std::uint64_t until = totals().port_queues.tx_packets + packets;
  for (int i = 0; totals().port_queues.tx_packets < until; ++i) {
    if (i == 10'000) throw std::runtime_error("the boards do not send");
    drain_control();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Traffic World::traffic() {
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
  t.control = control_datagrams_;
  return t;
}

void World::command() {
  dataplane::BoardRequest access;
  access.board = boards_[0].get();
  access.actions.push_back(board::SetDcqcn{0, {}});
  access.actions.push_back(board::SetTrafficClass{26, 2});
  access.state.qps = {{.qp = 0}, {.qp = kQps - 1}};
  dataplane::CongestionChange change;
  dcqcn::FirmwareSettings profile;
  profile.parameters.rai *= 2;
  change.board = boards_[1].get();
  change.count = kQps;
  change.profile = profile;
  workers_[0]->request(access);
  workers_[0]->command(&change);
  while (!access.done.load(std::memory_order_acquire) || !change.done.load(std::memory_order_acquire)) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

}  // namespace softfeb::steady
