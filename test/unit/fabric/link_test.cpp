// SPDX-License-Identifier: BSD-3-Clause
#include "base/uint128.hpp"
#include "fabric/wire_time.hpp"
#include "fabric_fixture.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;

namespace {

/// Headers and iCRC add 58 bytes to the payload (Ethernet 14, IPv4 20, UDP 8, BTH 12, iCRC 4). FCS, preamble
/// and gap add another 24 bytes on the wire.
constexpr std::uint64_t wire_of(std::uint64_t payload) { return payload + 58 + 24; }

}  // namespace

TEST_CASE("link: a frame takes its wire length over the rate of each link, plus the delays") {
  Bench b(star(2));
  b.send({0, 1}, 1000);
  b.run(kMillisecond);
  REQUIRE(b.arrivals.size() == 1);
  CHECK(b.arrivals[0].at == 1000 + 2 * (wire_of(1024) * 800 + kDelay));
  // Use a frame shorter than the minimum.
  auto bytes = ack_bytes({1, 0});
  bytes.resize(40);
  b.send(1, bytes, kMillisecond);
  b.run(2 * kMillisecond);
  CHECK(b.at_station(0).at(0).at == kMillisecond + 2 * (std::uint64_t{84} * 800 + kDelay));
}

TEST_CASE("link: frames leave one at a time, whenever run() is called") {
  for (const Time step : {kMillisecond, kMicrosecond}) {
    Bench b(star(2));
    for (int i = 0; i < 50; ++i) b.send({0, 1}, 0);
    for (Time t = 0; t <= kMillisecond; t += step) b.run(t);
    REQUIRE(b.arrivals.size() == 50);
    for (std::size_t i = 1; i < 50; ++i)
      CHECK(b.arrivals[i].at - b.arrivals[i - 1].at == wire_of(1024) * 800);
  }
}

TEST_CASE("link: a frame sent late does not delay earlier ones") {
  Bench b(star(2));
  b.send({0, 1}, 0);
  b.send({0, 1}, 0);
  b.send({0, 1}, 100 * kMicrosecond);
  b.run(kMillisecond);
  REQUIRE(b.arrivals.size() == 3);
  CHECK(b.arrivals[1].at - b.arrivals[0].at == wire_of(1024) * 800);
  CHECK(b.arrivals[2].at == b.arrivals[0].at + 100 * kMicrosecond);
}

TEST_CASE("link: a byte time that is not a whole number of picoseconds loses no rate") {
  fabric::WireTime time(3'000'000'007);
  Time sum = 0;
  for (int i = 0; i < 3'000'000; ++i) sum += time.next(1000);
  CHECK(sum == static_cast<Time>(Uint128{3'000'000'000} * kSecond / 3'000'000'007));
}

TEST_CASE("switch: three senders share one output; what does not fit is dropped and counted") {
  auto config = star(4);
  config.switches[0].buffer = 20'000;
  Bench b(config);
  for (int i = 0; i < 100; ++i)
    for (std::uint32_t s = 0; s < 3; ++s) b.send({s, 3}, 0);
  b.run(20 * kMicrosecond);
  CHECK(b.conserved(20 * kMicrosecond));
  CHECK(b.snapshot.totals.in_network != 0);
  b.run(kMillisecond);
  const auto& s = b.look(kMillisecond);
  const auto& port = s.ports[3];
  CHECK(port.peer == station(3));
  CHECK(port.queue_bytes == 0);
  CHECK(port.queue_bytes_max <= 20'000);
  CHECK(port.queue_bytes_max > 20'000 - 1082);
  CHECK(port.dropped == s.totals.dropped_buffer);
  CHECK(port.dropped + b.arrivals.size() == 300);
  CHECK(port.tx_packets == b.arrivals.size());
  CHECK(port.tx_bytes == port.tx_packets * 1082);
  CHECK(port.tx_wire_bytes == port.tx_packets * wire_of(1024));
  CHECK(b.conserved(kMillisecond));
  CHECK(b.store.out == 0);
  // The link is busy from the first frame to the last.
  CHECK(b.arrivals.back().at - b.arrivals.front().at == (b.arrivals.size() - 1) * wire_of(1024) * 800);
  REQUIRE(s.flows.size() == 3);
  std::uint64_t dropped = 0;
  std::uint64_t packets = 0;
  for (const auto& flow : s.flows) {
    CHECK(flow.destination == 3);
    CHECK(flow.qpn == 17);
    dropped += flow.dropped;
    packets += flow.packets;
  }
  CHECK(dropped == port.dropped);
  CHECK(packets == b.arrivals.size());
}

TEST_CASE("switch: peaks restart with each snapshot") {
  Bench b(star(3));
  for (int i = 0; i < 20; ++i) {
    b.send({0, 2}, 0);
    b.send({1, 2}, 0);
  }
  b.run(kMillisecond);
  CHECK(b.look(kMillisecond).ports[2].queue_bytes_peak > 5000);
  CHECK(b.look(kMillisecond).ports[2].queue_bytes_peak == 0);
  CHECK(b.look(kMillisecond).ports[2].queue_bytes_max > 5000);
}

TEST_CASE("switch: limits of a port and of a queue's share of the free buffer") {
  auto config = star(4);
  config.switches[0].buffer = 100'000;
  SECTION("port") { config.switches[0].port_limit = 10'000; }
  SECTION("a quarter of what is free") { config.switches[0].dynamic_alpha = 64; }
  Bench b(config);
  for (int i = 0; i < 100; ++i)
    for (std::uint32_t s = 0; s < 3; ++s) b.send({s, 3}, 0);
  b.run(kMillisecond);
  const std::uint64_t most = b.look(kMillisecond).ports[3].queue_bytes_max;
  // The condition q <= (100000 - q) / 4 holds up to q = 20000.
  const std::uint64_t limit = config.switches[0].port_limit != 0 ? 10'000 : 20'000;
  CHECK(most <= limit);
  CHECK(most > limit - 1100);
}
