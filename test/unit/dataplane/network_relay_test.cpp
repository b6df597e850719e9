// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/network_relay.hpp"

#include "cch_frame.hpp"
#include "dpdk_rig.hpp"
#include "mbufs.hpp"
#include "roce_frame.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include <catch2/catch.hpp>
#include <rte_ethdev.h>

using namespace softfeb;
using namespace softfeb::dataplane;

namespace {

constexpr std::uint64_t kRate = 1'250'000'000;  // 10 Gb/s

fabric::LinkConfig link_of(std::uint32_t station, std::uint64_t rate) {
  fabric::LinkConfig l;
  l.a = {fabric::NodeRef::Kind::kStation, station};
  l.b = {fabric::NodeRef::Kind::kSwitch, 0};
  l.rate = rate;
  l.delay = kMicrosecond;
  return l;
}

/// Returns a network with one switch and three stations. Two stations are endpoints on the same ring, and
/// are distinguished by their addresses. The third station is an external port.
fabric::NetworkConfig one_switch(std::uint64_t buffer) {
  fabric::NetworkConfig c;
  c.stations = {{"feb0", roce::MacAddress{2, 0, 0, 0, 0, 1}},
                {"feb1", roce::MacAddress{2, 0, 0, 0, 0, 3}},
                {"outside", std::nullopt}};
  c.switches.resize(1);
  c.switches[0].name = "tor";
  c.switches[0].buffer = buffer;
  c.switches[0].int_on = true;
  c.switches[0].int_id = 0x77;
  c.links = {link_of(0, kRate), link_of(1, kRate), link_of(2, kRate)};
  return c;
}

struct RelayBench {
  static constexpr std::uint32_t kRing = 64;

  test::DpdkRig rig;
  /// Ports 0 and 1 are the ends of the endpoints' ring; ports 2 and 3 are the ends of the external port's
  /// ring.
  std::unique_ptr<test::RigPort> ports[4];
  rte_mempool* packets = rig.pools.create("packets", 4096, 4300);
  std::unique_ptr<NetworkRelay> relay;
  Time now = kMicrosecond;

  explicit RelayBench(std::size_t frames = 4096, std::uint64_t buffer = 4U << 20) {
    for (int i = 0; i < 4; ++i) {
      test::RigPortConfig config{.device = i < 2 ? "net_ring:ours" : "net_ring:world", .ring = kRing};
      config.port.rx_descriptors = config.port.tx_descriptors = kRing;
      ports[i] = std::make_unique<test::RigPort>(rig, config);
    }
    NetworkRelayConfig c;
    c.ports = {{ports[1]->id(), std::nullopt}, {ports[2]->id(), 2U}};
    c.stations = {{{2, 0, 0, 0, 0, 1}, 0, 0}, {{2, 0, 0, 0, 0, 3}, 1, 0}};
    c.frames = frames;
    c.frame_bytes = 4300;
    relay = std::make_unique<NetworkRelay>(c, one_switch(buffer), rig.pools);
  }
  /// Sends a frame. Returns false if the ring is full.
  bool send(int port, std::vector<std::uint8_t> frame, std::uint8_t source, std::uint8_t dest) {
    frame[5] = dest;
    frame[11] = source;
    rte_mbuf* const m = test::packet(packets, frame);
    REQUIRE(m != nullptr);
    return test::send(ports[port]->id(), m);
  }

  std::vector<test::Bytes> receive(int port) { return test::receive_all(ports[port]->id()); }

  void pass(Time length) {
    for (const Time end = now + length; now < end; now += kMicrosecond) relay->run(now);
  }

  /// Checks that the counters account for every packet.
  void check_books() {
    fabric::NetworkSnapshot s = relay->make_snapshot();
    relay->take_snapshot(s, now);
    const NetworkRelayCounters& c = relay->counters();
    const fabric::NetworkTotals& t = s.totals;
    CHECK(c.rx_packets == t.entered + c.rx_stranger + c.rx_unusable);
    CHECK(t.entered + t.made + t.duplicated == t.delivered + t.consumed + t.dropped_buffer + t.dropped_fault +
                                                   t.dropped_unknown + t.dropped_store + t.in_network);
    CHECK(t.delivered == c.tx_packets + c.tx_dropped + c.tx_waiting);
  }
};

}  // namespace

TEST_CASE("a frame leaves at its destination's port", "[dataplane][network]") {
  RelayBench b;
  const auto frame = test::roce_frame({.payload = 1024});
  REQUIRE(b.send(0, frame, 1, 3));
  REQUIRE(b.send(0, frame, 3, 1));
  b.pass(20 * kMicrosecond);
  const auto arrived = b.receive(0);
  REQUIRE(arrived.size() == 2);
  CHECK(arrived[0][5] + arrived[1][5] == 4);
  CHECK(b.receive(3).empty());
  b.check_books();
}

TEST_CASE("the switch records its port in a congestion control header", "[dataplane][network]") {
  RelayBench b;
  const auto frame = test::with_cch(test::roce_frame({.payload = 1024}), test::int_cch());
  REQUIRE(b.send(0, frame, 1, 3));
  REQUIRE(b.send(3, frame, 9, 3));
  b.pass(20 * kMicrosecond);
  auto arrived = b.receive(0);
  REQUIRE(arrived.size() == 2);
  for (auto& bytes : arrived) {
    const std::size_t at = test::udp_place(bytes).content;
    const auto cch = roce::CongestionHeader::decode(ByteSpan(bytes).subspan(at));
    REQUIRE(cch);
    CHECK(cch->hops == 1);
    CHECK(cch->path == 0x77);
    const auto ints = roce::IntBody::decode(*cch);
    REQUIRE(ints);
    CHECK(ints->records[0].rate() == kRate);
    // Apart from the inserted INT record, the frame is unchanged.
    std::copy_n(frame.begin() + static_cast<std::ptrdiff_t>(at), 48,
                bytes.begin() + static_cast<std::ptrdiff_t>(at));
    CHECK(std::equal(bytes.begin() + 14, bytes.end(), frame.begin() + 14));
  }
  b.check_books();
}

TEST_CASE("an external port is a station with learned addresses", "[dataplane][network]") {
  RelayBench b;
  const auto frame = test::roce_frame({.payload = 1024});
  REQUIRE(b.send(3, frame, 9, 1));
  b.pass(20 * kMicrosecond);
  CHECK(b.receive(0).size() == 1);
  REQUIRE(b.send(0, frame, 3, 9));
  b.pass(20 * kMicrosecond);
  CHECK(b.receive(3).size() == 1);
  CHECK(b.receive(0).empty());
  b.check_books();
}

TEST_CASE("a closed network ignores frames from outside", "[dataplane][network]") {
  RelayBench b;
  REQUIRE(b.send(3, test::roce_frame(), 9, 1));
  b.pass(20 * kMicrosecond);
  b.relay->close_outside();
  REQUIRE(b.send(3, test::roce_frame(), 9, 1));
  REQUIRE(b.send(0, test::roce_frame(), 3, 1));
  b.pass(20 * kMicrosecond);
  CHECK(b.relay->counters().rx_outside == 1);
  // The first frame entered the network before close_outside(). The second was ignored. The third came from
  // an endpoint, not from outside.
  CHECK(b.receive(0).size() == 2);
  b.check_books();
}

TEST_CASE("frames to an unknown address are counted", "[dataplane][network]") {
  RelayBench b;
  REQUIRE(b.send(0, test::roce_frame(), 77, 1));
  b.pass(20 * kMicrosecond);
  CHECK(b.relay->counters().rx_stranger == 1);
  CHECK(b.receive(0).empty());
  b.check_books();
}

TEST_CASE("packets that a ring does not accept wait, in order, and none is lost", "[dataplane][network]") {
  RelayBench b;
  unsigned sent = 0;
  // Receive nothing, so that the ring fills up. Further packets then wait in the relay.
  for (unsigned i = 0; i < 4 * RelayBench::kRing; ++i) {
    if (b.send(0, test::roce_frame({.payload = 256, .psn = i}), 1, 3)) ++sent;
    b.pass(kMicrosecond);
  }
  b.pass(kMillisecond);
  REQUIRE(sent == 4 * RelayBench::kRing);
  CHECK(b.relay->pending());
  CHECK(b.relay->counters().tx_short > 0);
  CHECK(b.relay->next_event(b.now) == b.now);
  b.check_books();
  std::vector<std::vector<std::uint8_t>> arrived;
  for (int i = 0; i < 8; ++i) {
    for (auto& f : b.receive(0)) arrived.push_back(std::move(f));
    b.pass(kMicrosecond);
  }
  REQUIRE(arrived.size() == sent);
  for (unsigned i = 0; i < sent; ++i) {
    auto wanted = test::roce_frame({.payload = 256, .psn = i});
    wanted[5] = 3;
    REQUIRE(arrived[i] == wanted);
  }
  CHECK_FALSE(b.relay->pending());
  b.check_books();
}

TEST_CASE("without free frames, packets stay in the ring", "[dataplane][network]") {
  RelayBench b(MbufFrames::kReserve + 8);
  for (unsigned i = 0; i < 32; ++i) REQUIRE(b.send(0, test::roce_frame({.payload = 4096, .psn = i}), 1, 3));
  b.relay->run(b.now);
  CHECK(b.relay->counters().rx_packets == 8);
  CHECK(b.relay->counters().held_up > 0);
  b.pass(200 * kMicrosecond);
  CHECK(b.receive(0).size() == 32);
  b.check_books();
}

TEST_CASE("an external port that accepts nothing does not delay the others", "[dataplane][network]") {
  RelayBench b(16'384);
  REQUIRE(b.send(3, test::roce_frame(), 9, 1));
  b.pass(20 * kMicrosecond);
  REQUIRE(b.receive(0).size() == 1);
  const unsigned all = 2 * NetworkRelay::kPortRoom;
  for (unsigned i = 0; i < all; ++i) {
    REQUIRE(b.send(0, test::roce_frame({.payload = 64}), 1, 9));
    b.pass(kMicrosecond);
  }
  CHECK(b.relay->counters().tx_dropped > 0);
  CHECK(b.relay->counters().tx_waiting == NetworkRelay::kPortRoom);
  REQUIRE(b.send(0, test::roce_frame(), 1, 3));
  b.pass(200 * kMicrosecond);
  CHECK(b.receive(0).size() == 1);
  b.check_books();
}

TEST_CASE("a late iteration is counted", "[dataplane][network]") {
  RelayBench b;
  REQUIRE(b.send(0, test::roce_frame(), 1, 3));
  b.pass(5 * kMicrosecond);
  REQUIRE(b.send(0, test::roce_frame(), 1, 3));
  b.relay->run(b.now);
  CHECK(b.relay->counters().overruns == 0);
  b.relay->run(b.now + kMillisecond);
  CHECK(b.relay->counters().overruns == 1);
  CHECK(b.relay->counters().latest > 900 * kMicrosecond);
}
