// SPDX-License-Identifier: BSD-3-Clause
// A lane with a board at one end of a ring pair, the slow control's client at the other.
#include "dataplane/in_band.hpp"

#include "board/payload.hpp"
#include "dataplane/port.hpp"
#include "engine/board.hpp"
#include "roce/frame.hpp"
#include "support.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <catch2/catch.hpp>
#include <rte_ethdev.h>
#include <rte_mempool.h>

using namespace softfeb;
using namespace softfeb::dataplane;

namespace {

using Bytes = std::vector<std::uint8_t>;

/// Notes what it is given, and answers with the same, where it is told to.
class EchoLink final : public control::RssiLink {
 public:
  explicit EchoLink(control::DatagramSink& sink) : sink_(sink) {}

  void on_datagram(const control::UdpPeer& from, ByteSpan datagram, Time) override {
    peers.push_back(from);
    datagrams.emplace_back(datagram.begin(), datagram.end());
    sink_.send(from, datagram);
  }
  void on_timer(Time) override {}
  Time deadline() const override { return kNever; }
  bool open() const override { return true; }
  std::size_t max_payload() const override { return 0; }
  std::size_t room() const override { return 0; }
  bool send(ByteSpan, Time) override { return false; }
  void close(Time) override {}
  void resume(Time) override {}
  const control::RssiStatus& status() const override { return status_; }

  std::vector<control::UdpPeer> peers;
  std::vector<Bytes> datagrams;

 private:
  control::DatagramSink& sink_;
  control::RssiStatus status_;
};

engine::Identity identity(std::uint8_t last) {
  engine::Identity id;
  id.mac = {2, 0, 0, 0, 0, last};
  id.ip = roce::IpAddress::parse("10.0.0.0")->plus(last);
  id.vlan = roce::VlanTag{9, 3};
  return id;
}

/// UC queue pairs without pacing, if any: RoCE in every turn.
engine::BoardConfig board_config(std::uint32_t qps, const board::PayloadSource& payload) {
  engine::BoardConfig c;
  c.identity = identity(1);
  for (std::uint32_t i = 0; i < qps; ++i) {
    engine::SendQpConfig qp;
    qp.requester.transport = roce::Transport::kUc;
    qp.requester.qpn = qp.requester.dest_qpn = 0x100 + i;
    qp.requester.pmtu = 256;
    qp.path.source_mac = c.identity.mac;
    qp.path.source_ip = c.identity.ip;
    qp.path.dest_ip = identity(2).ip;
    qp.peer_mac = identity(2).mac;
    qp.payload = &payload;
    qp.traffic.plan = payload.plan();
    c.qps.push_back(qp);
  }
  return c;
}

struct Bench {
  static constexpr std::uint32_t kMtu = 4180;

  Mempools pools;
  Arena arena{1U << 16};
  DeviceFactory factory;
  std::unique_ptr<Device> devices[2];
  std::unique_ptr<Port> ports[2];
  std::unique_ptr<board::PayloadSource> payload =
      board::make_payload({.kind = board::PayloadKind::kZero, .message_length = 256, .pmtu = 256});
  std::unique_ptr<engine::Board> board;
  PortMap map{1};
  ControlExchange exchange;
  std::unique_ptr<TxBuilder> builder;
  std::unique_ptr<InBandPort> in_band;
  std::unique_ptr<Lane> lane;
  rte_mempool* client_pool;
  std::vector<Bytes> arrived;
  Time now = kMicrosecond;

  explicit Bench(std::uint32_t qps = 0) {
    PortConfig config;
    config.rx_descriptors = config.tx_descriptors = 256;
    config.rx_held = 1024;
    config.mtu = kMtu;
    for (int i = 0; i < 2; ++i) {
      devices[i] = factory.attach(parse_device("net_ring:inband"), {1, 4300, 256});
      ports[i] = std::make_unique<Port>(*devices[i], config, pools);
    }
    payload->fill(arena.allocate(payload->arena_bytes()));
    board = std::make_unique<engine::Board>(board_config(qps, *payload));
    map.add(*board, 0);
    TxBuilderConfig b;
    b.frame_bytes = 4300;
    b.descriptors = b.held = 256;
    builder = std::make_unique<TxBuilder>(b, &arena, pools);
    in_band = std::make_unique<InBandPort>(InBandConfig{kMtu, 256, 1, -1}, exchange, pools);
    Lane::Parts parts;
    parts.map = &map;
    parts.builder = builder.get();
    parts.control = &exchange.received();
    parts.control_frames = &exchange.to_send();
    LaneConfig lane_config;
    lane_config.port = ports[0]->id();
    lane_config.rx_queues = {0};
    lane_config.burst = 16;
    lane = std::make_unique<Lane>(lane_config, parts);
    client_pool = pools.create("client", 1024, 4300);
  }

  InBandLink& serve(std::uint16_t port = 8192) {
    return in_band->serve(0, board->identity(), port,
                          [](const roce::IpAddress& ip) { return ip.v4() >> 24 == 10; });
  }

  /// The client sends a datagram; the lane takes it. `parts`: mbufs that the frame comes in.
  void send(const engine::Identity& from, ByteSpan datagram, std::uint16_t port = 8192,
            std::size_t parts = 1) {
    Bytes frame(engine::control_frame_overhead(from) + datagram.size());
    engine::write_control_frame(from, {board->identity().mac, board->identity().ip, port, 40'000}, datagram,
                                1, frame.data());
    rte_mbuf* first = nullptr;
    for (std::size_t p = 0; p < parts; ++p) {
      rte_mbuf* const m = rte_pktmbuf_alloc(client_pool);
      REQUIRE(m != nullptr);
      const std::size_t begin = frame.size() * p / parts;
      const std::size_t end = frame.size() * (p + 1) / parts;
      std::copy(frame.data() + begin, frame.data() + end, rte_pktmbuf_mtod(m, std::uint8_t*));
      m->data_len = static_cast<std::uint16_t>(end - begin);
      m->pkt_len = m->data_len;
      if (first == nullptr) {
        first = m;
      } else {
        REQUIRE(rte_pktmbuf_chain(first, m) == 0);
      }
    }
    REQUIRE(rte_eth_tx_burst(ports[1]->id(), 0, &first, 1) == 1);
    lane->run(now);
  }

  /// What the client receives since it last looked goes to `arrived`; returns how many.
  std::size_t receive() {
    std::size_t total = 0;
    for (rte_mbuf* m = nullptr; rte_eth_rx_burst(ports[1]->id(), 0, &m, 1) == 1; ++total) {
      arrived.push_back(test::bytes_of(m));
      rte_pktmbuf_free(m);
    }
    return total;
  }
};

}  // namespace

TEST_CASE("a datagram reaches its link, and the answer its sender", "[dataplane][in-band]") {
  Bench bench;
  InBandLink& way = bench.serve();
  CHECK(way.max_datagram() == Bench::kMtu - 28);
  EchoLink link(way);
  way.connect(&link);
  Rng rng(1);
  for (const std::size_t size : {1, 8, 24, 1024, 4000}) {
    for (const std::size_t parts : {1, 3}) {
      const Bytes sent = test::random_bytes(rng, size);
      bench.send(identity(2), sent, 8192, parts);
      CHECK(bench.in_band->poll(bench.now) == 1);
      REQUIRE(!link.datagrams.empty());
      CHECK(link.datagrams.back() == sent);
      CHECK(link.peers.back() == control::UdpPeer{identity(2).ip, 40'000});
      CHECK(bench.lane->pending());
      CHECK(bench.lane->next_event(bench.now) == bench.now);
      CHECK(bench.lane->run(bench.now));
      CHECK_FALSE(bench.lane->pending());
      REQUIRE(bench.receive() == 1);
      const Bytes& frame = bench.arrived.back();
      CHECK(frame.size() >= 60);
      const roce::ParsedFrame f = roce::parse_frame(ByteSpan(frame));
      REQUIRE(f.kind == roce::FrameKind::kUdp);
      CHECK(f.dest_mac == identity(2).mac);
      CHECK(f.source_mac == identity(1).mac);
      REQUIRE(f.vlan);
      CHECK(f.vlan->id == 9);
      CHECK(f.vlan->pcp == 3);
      CHECK(f.source_ip == identity(1).ip);
      CHECK(f.dest_ip == identity(2).ip);
      CHECK(f.source_port == 8192);
      CHECK(f.dest_port == 40'000);
      Bytes content(f.content.size());
      f.content.copy(0, content.size(), content.data());
      CHECK(content == sent);
    }
  }
  CHECK(bench.in_band->counters().rx == 10);
  CHECK(bench.in_band->counters().tx == 10);
  CHECK(bench.lane->counters().control_tx == 10);
  CHECK(bench.lane->counters().tx_packets == 10);
  CHECK(bench.board->counters().tx_control == 10);
  CHECK(bench.board->counters().tx_frames == 10);
  CHECK(bench.board->counters().tx_bytes == bench.lane->counters().tx_bytes);
  CHECK(rte_mempool_in_use_count(bench.client_pool) == 0);
}

TEST_CASE("who may not connect, and what nobody serves, is freed and counted", "[dataplane][in-band]") {
  Bench bench;
  InBandLink& way = bench.serve();
  const Bytes datagram(24, 1);
  bench.send(identity(2), datagram);
  bench.in_band->poll(bench.now);
  CHECK(bench.in_band->counters().rx_unserved == 1);  // no link yet
  EchoLink link(way);
  way.connect(&link);
  engine::Identity stranger = identity(2);
  stranger.ip = *roce::IpAddress::parse("11.0.0.2");
  bench.send(stranger, datagram);
  bench.send(identity(2), datagram, 8193);
  bench.in_band->poll(bench.now);
  CHECK(bench.in_band->counters().rx_refused == 1);
  CHECK(bench.in_band->counters().rx_unserved == 2);
  CHECK(link.datagrams.empty());
  // Nobody ever heard of, and longer than a frame.
  way.send({identity(7).ip, 1}, datagram);
  bench.send(identity(2), datagram);
  bench.in_band->poll(bench.now);
  way.send({identity(2).ip, 1}, Bytes(way.max_datagram() + 1));
  CHECK(bench.in_band->counters().tx_refused == 2);
  CHECK(bench.in_band->counters().tx == 1);
  bench.lane->run(bench.now);
  bench.receive();
  CHECK(rte_mempool_in_use_count(bench.client_pool) == 0);
}

TEST_CASE("answers keep their order, and what the lane does not fetch is dropped", "[dataplane][in-band]") {
  Bench bench;
  InBandLink& way = bench.serve();
  EchoLink link(way);
  way.connect(&link);
  bench.send(identity(2), Bytes(24));
  bench.in_band->poll(bench.now);
  const std::size_t room = ControlExchange::kRoom;
  for (std::uint32_t i = 1; i < room + 10; ++i) {
    Bytes numbered(100);
    store_be32(numbered.data(), i);
    way.send(link.peers[0], numbered);
  }
  CHECK(bench.in_band->counters().tx == room);
  CHECK(bench.in_band->counters().tx_dropped == 10);
  while (bench.lane->pending()) {
    const std::uint64_t before = bench.lane->counters().control_tx;
    bench.lane->run(bench.now);
    CHECK(bench.lane->counters().control_tx - before <= Lane::kControlShare);
    bench.receive();
  }
  REQUIRE(bench.arrived.size() == room);
  for (std::uint32_t i = 1; i < room; ++i) REQUIRE(load_be32(&bench.arrived[i][46]) == i);
}

TEST_CASE("RoCE and slow control share every turn", "[dataplane][in-band]") {
  Bench bench(4);
  InBandLink& way = bench.serve();
  EchoLink link(way);
  way.connect(&link);
  bench.send(identity(2), Bytes(24));
  bench.in_band->poll(bench.now);
  bench.board->start(bench.now);
  bench.lane->wake();
  bench.lane->run(bench.now);
  bench.receive();
  for (int i = 0; i < 100; ++i) way.send(link.peers[0], Bytes(100));
  for (int turn = 0; turn < 12; ++turn) {
    const LaneCounters before = bench.lane->counters();
    bench.now += 10 * kMicrosecond;
    bench.lane->run(bench.now);
    const LaneCounters& after = bench.lane->counters();
    CHECK(after.control_tx - before.control_tx == Lane::kControlShare);
    CHECK(after.tx_packets - before.tx_packets == 16 + Lane::kControlShare);
    bench.receive();
  }
}

TEST_CASE("peers' MAC addresses: the newest counts, memory is bounded, the open peer stays",
          "[dataplane][in-band]") {
  PeerRoutes routes;
  const roce::IpAddress base = *roce::IpAddress::parse("10.1.0.0");
  const roce::IpAddress open = base.plus(1'000'000);
  routes.learn(open, {2, 0, 0, 0, 0, 1}, {});
  routes.learn(open, {2, 0, 0, 0, 0, 2}, {});
  for (std::uint32_t i = 0; i < 1000; ++i) {
    routes.learn(base.plus(i), roce::mac_plus({2, 0, 0, 0, 1, 0}, i), open);
    REQUIRE(routes.find(base.plus(i)) == roce::mac_plus({2, 0, 0, 0, 1, 0}, i));
    REQUIRE(routes.find(open) == roce::MacAddress{2, 0, 0, 0, 0, 2});
  }
  std::size_t known = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) known += routes.find(base.plus(i)) ? 1 : 0;
  CHECK(known == PeerRoutes::kRoom - 1);
  CHECK_FALSE(routes.find(base.plus(2000)));
}
