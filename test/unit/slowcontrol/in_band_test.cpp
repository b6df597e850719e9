// SPDX-License-Identifier: BSD-3-Clause
#include "in_band_fixture.hpp"
#include "roce/frame.hpp"

#include <vector>

#include <catch2/catch.hpp>
#include <rte_mempool.h>

using namespace softfeb;
using namespace softfeb::slowcontrol;
using dataplane::ControlExchange;
using dataplane::PortQueue;
using dataplane::PortQueueCounters;
using test::Bytes;
using test::InBandFixture;
using test::tagged_identity;

namespace {

/// Records datagrams and returns each one to its sender.
class Echo final : public InBandUser {
 public:
  explicit Echo(srp::DatagramSink& sink) : sink_(sink) {}

  void on_in_band_datagram(const srp::UdpPeer& from, ByteSpan datagram, Time) override {
    peers.push_back(from);
    datagrams.emplace_back(datagram.begin(), datagram.end());
    sink_.send(from, datagram);
  }
  roce::IpAddress in_band_peer() const override { return {}; }

  std::vector<srp::UdpPeer> peers;
  std::vector<Bytes> datagrams;

 private:
  srp::DatagramSink& sink_;
};

}  // namespace

TEST_CASE("a datagram reaches its link, and the response its sender", "[slowcontrol][in-band]") {
  InBandFixture bench;
  InBandLink& way = bench.serve();
  CHECK(way.max_datagram() == InBandFixture::kMtu - 28);
  Echo link(way);
  way.connect(&link);
  Rng rng(1);
  for (const std::size_t size : {1, 8, 24, 1024, 4000}) {
    for (const std::size_t parts : {1, 3}) {
      const Bytes sent = test::random_bytes(rng, size);
      bench.send(tagged_identity(2), sent, 8192, parts);
      CHECK(bench.in_band->poll(bench.now) == 1);
      REQUIRE(!link.datagrams.empty());
      CHECK(link.datagrams.back() == sent);
      CHECK(link.peers.back() == srp::UdpPeer{tagged_identity(2).ip, 40'000});
      CHECK(bench.port_queue->pending());
      CHECK(bench.port_queue->next_event(bench.now) == bench.now);
      CHECK(bench.port_queue->run(bench.now));
      CHECK_FALSE(bench.port_queue->pending());
      REQUIRE(bench.receive() == 1);
      const Bytes& frame = bench.arrived.back();
      CHECK(frame.size() >= 60);
      const roce::ParsedFrame f = roce::parse_frame(ByteSpan(frame));
      REQUIRE(f.kind == roce::FrameKind::kUdp);
      CHECK(f.dest_mac == tagged_identity(2).mac);
      CHECK(f.source_mac == tagged_identity(1).mac);
      REQUIRE(f.vlan);
      CHECK(f.vlan->id == 9);
      CHECK(f.vlan->pcp == 3);
      CHECK(f.source_ip == tagged_identity(1).ip);
      CHECK(f.dest_ip == tagged_identity(2).ip);
      CHECK(f.source_port == 8192);
      CHECK(f.dest_port == 40'000);
      Bytes content(f.content.size());
      f.content.copy(0, content.size(), content.data());
      CHECK(content == sent);
    }
  }
  CHECK(bench.in_band->counters().rx == 10);
  CHECK(bench.in_band->counters().tx == 10);
  CHECK(bench.port_queue->counters().control_tx == 10);
  CHECK(bench.port_queue->counters().tx_packets == 10);
  CHECK(bench.board->counters().tx_control == 10);
  CHECK(bench.board->counters().tx_frames == 10);
  CHECK(bench.board->counters().tx_bytes == bench.port_queue->counters().tx_bytes);
  CHECK(rte_mempool_in_use_count(bench.client_pool) == 0);
}

TEST_CASE("datagrams from hosts that may not connect, or to no link, are freed and counted",
          "[slowcontrol][in-band]") {
  InBandFixture bench;
  InBandLink& way = bench.serve();
  const Bytes datagram(24, 1);
  bench.send(tagged_identity(2), datagram);
  bench.in_band->poll(bench.now);
  CHECK(bench.in_band->counters().rx_unserved == 1);  // the link has no user yet
  Echo link(way);
  way.connect(&link);
  engine::Identity stranger = tagged_identity(2);
  stranger.ip = *roce::IpAddress::parse("11.0.0.2");
  bench.send(stranger, datagram);
  bench.send(tagged_identity(2), datagram, 8193);
  bench.in_band->poll(bench.now);
  CHECK(bench.in_band->counters().rx_refused == 1);
  CHECK(bench.in_band->counters().rx_unserved == 2);
  CHECK(link.datagrams.empty());
  // The board sends one datagram to an unknown peer, and another that does not fit into a frame.
  way.send({tagged_identity(7).ip, 1}, datagram);
  bench.send(tagged_identity(2), datagram);
  bench.in_band->poll(bench.now);
  way.send({tagged_identity(2).ip, 1}, Bytes(way.max_datagram() + 1));
  CHECK(bench.in_band->counters().tx_refused == 2);
  CHECK(bench.in_band->counters().tx == 1);
  bench.port_queue->run(bench.now);
  bench.receive();
  CHECK(rte_mempool_in_use_count(bench.client_pool) == 0);
}

TEST_CASE("responses keep their order; excess ones are dropped", "[slowcontrol][in-band]") {
  InBandFixture bench;
  InBandLink& way = bench.serve();
  Echo link(way);
  way.connect(&link);
  bench.send(tagged_identity(2), Bytes(24));
  bench.in_band->poll(bench.now);
  const std::size_t room = ControlExchange::kRoom;
  for (std::uint32_t i = 1; i < room + 10; ++i) {
    Bytes numbered(100);
    store_be32(numbered.data(), i);
    way.send(link.peers[0], numbered);
  }
  CHECK(bench.in_band->counters().tx == room);
  CHECK(bench.in_band->counters().tx_dropped == 10);
  while (bench.port_queue->pending()) {
    const std::uint64_t before = bench.port_queue->counters().control_tx;
    bench.port_queue->run(bench.now);
    CHECK(bench.port_queue->counters().control_tx - before <= PortQueue::kControlShare);
    bench.receive();
  }
  REQUIRE(bench.arrived.size() == room);
  for (std::uint32_t i = 1; i < room; ++i) REQUIRE(load_be32(&bench.arrived[i][46]) == i);
}

TEST_CASE("RoCE and slow control share every iteration", "[slowcontrol][in-band]") {
  InBandFixture bench(4);
  InBandLink& way = bench.serve();
  Echo link(way);
  way.connect(&link);
  bench.send(tagged_identity(2), Bytes(24));
  bench.in_band->poll(bench.now);
  bench.board->start(bench.now);
  bench.port_queue->wake();
  bench.port_queue->run(bench.now);
  bench.receive();
  for (int i = 0; i < 100; ++i) way.send(link.peers[0], Bytes(100));
  for (int turn = 0; turn < 12; ++turn) {
    const PortQueueCounters before = bench.port_queue->counters();
    bench.now += 10 * kMicrosecond;
    bench.port_queue->run(bench.now);
    const PortQueueCounters& after = bench.port_queue->counters();
    CHECK(after.control_tx - before.control_tx == PortQueue::kControlShare);
    CHECK(after.tx_packets - before.tx_packets == 16 + PortQueue::kControlShare);
    bench.receive();
  }
}

TEST_CASE("peers' MAC addresses: the newest counts, memory is bounded, the connected peer stays",
          "[slowcontrol][in-band]") {
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
