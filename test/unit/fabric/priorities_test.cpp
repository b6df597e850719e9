// SPDX-License-Identifier: BSD-3-Clause
// Tests strict priorities in switches. The DSCP of a packet selects its priority.
#include "base/rng.hpp"
#include "fabric_fixture.hpp"
#include "roce/packet.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;
using fabric::kQueues;

namespace {

NetworkConfig priority_star(std::uint32_t stations, std::uint8_t levels) {
  auto config = star(stations);
  use_priorities(config.switches[0], levels);
  return config;
}

DataFrame level(std::uint32_t from, std::uint32_t to, unsigned p) {
  DataFrame f{from, to};
  f.dscp = static_cast<std::uint8_t>(8 * p);
  return f;
}

std::uint8_t dscp_of(const Bench::Arrival& a) { return a.bytes[15] >> 2; }

}  // namespace

TEST_CASE("priorities: the upper bits of the DSCP select the queue", "[priorities]") {
  for (std::uint8_t levels = 1; levels <= kQueues; ++levels) {
    fabric::SwitchConfig sw;
    use_priorities(sw, levels);
    CHECK(sw.priorities == levels);
    for (unsigned dscp = 0; dscp < 64; ++dscp)
      CHECK(sw.dscp_to_queue[dscp] == std::min<unsigned>(dscp / 8, levels - 1U));
    for (unsigned pcp = 0; pcp < 8; ++pcp)
      CHECK(sw.pcp_to_queue[pcp] == std::min<unsigned>(pcp, levels - 1U));
    for (std::size_t q = 0; q < kQueues; ++q) CHECK((sw.queues[q].weight == 0) == (q < levels));
  }
  fabric::SwitchConfig sw;
  CHECK_THROWS_AS(use_priorities(sw, 0), std::invalid_argument);
  CHECK_THROWS_AS(use_priorities(sw, 9), std::invalid_argument);
}

TEST_CASE("priorities: packets leave in strict order, and in order within a level", "[priorities]") {
  Bench b(priority_star(9, 8));
  // Each of eight senders sends three frames. Most arrive while the port is busy with the first frame.
  for (std::uint32_t from = 0; from < 8; ++from)
    for (int i = 0; i < 3; ++i) b.send(level(from, 8, from), 0);
  b.run(kMillisecond);
  const auto arrived = b.at_station(8);
  REQUIRE(arrived.size() == 24);
  // All frames must leave, one at a time: three of each priority.
  std::array<unsigned, 8> sent{};
  Time last = 0;
  for (const auto& a : arrived) {
    CHECK(a.at > last);
    last = a.at;
    ++sent[dscp_of(a) / 8U];
  }
  for (const unsigned n : sent) CHECK(n == 3);
  // After 3 frame times, all frames have reached the switch. From then on, the priorities of the frames that
  // leave it never increase. Frames may leave in a different order before that, because the port was empty at
  // first.
  const Time all_there = 3 * 886 * kNanosecond + kDelay;
  std::uint8_t before = 64;
  for (const auto& a : arrived) {
    if (a.at < all_there + 2 * 886 * kNanosecond + kDelay) continue;
    CHECK(dscp_of(a) <= before);
    before = dscp_of(a);
  }
}

TEST_CASE("priorities: acknowledgements overtake data by their own DSCP", "[priorities]") {
  Bench b(priority_star(3, 8));
  for (int i = 0; i < 20; ++i) b.send(level(0, 2, 0), 0);
  DataFrame ack{1, 2};
  ack.dscp = 56;
  b.send(1, ack_bytes(ack), 5 * kMicrosecond);
  b.run(kMillisecond);
  std::size_t place = 0;
  while (place < b.arrivals.size() && dscp_of(b.arrivals[place]) != 56) ++place;
  // The acknowledgement overtakes all frames that are queued at the switch. It only waits for the frame that
  // the port is sending.
  CHECK(place < 8);
  const auto& port = b.look(kMillisecond).ports[2];
  CHECK(port.queues[7].tx_packets == 1);
  CHECK(port.queues[0].tx_packets == 20);
}

TEST_CASE("priorities: a level that is never served is visible", "[priorities]") {
  Bench b(priority_star(3, 2));
  // Each of two stations offers the whole rate of the port, a frame of 1082 bytes every 884.8 ns.
  constexpr Time kFrame = 884'800;
  for (int i = 0; i < 400; ++i) {
    b.send(level(0, 2, 0), static_cast<Time>(i) * kFrame);
    b.send(level(1, 2, 1), static_cast<Time>(i) * kFrame);
    b.run(static_cast<Time>(i) * kFrame);
  }
  const Time now = 399 * kFrame;
  const auto before = b.look(now).ports[2];
  CHECK(before.queues[1].tx_packets >= 395);
  CHECK(before.queues[0].tx_packets <= 2);
  CHECK(before.queues[0].starved > 390 * kFrame);
  CHECK(before.queues[1].starved <= 2 * kFrame);
  CHECK(before.queue_bytes_of[0] > 390 * 1082);
  CHECK(before.queues[0].bytes_max >= before.queue_bytes_of[0]);
  CHECK(before.queues[1].bytes_max <= 2 * 1082);
  b.run(kSecond);
  const auto& after = b.look(kSecond).ports[2];
  CHECK(after.queues[0].tx_packets == 400);
  CHECK(after.queues[0].starved == Approx(399 * kFrame).epsilon(0.01));
  CHECK(b.conserved(kSecond));
}

TEST_CASE("priorities: marks and drops are those of the queue", "[priorities]") {
  auto config = priority_star(3, 4);
  config.switches[0].queues[1].ecn = {true, 3000, 3000};
  config.switches[0].port_limit = 20'000;
  Bench b(config);
  for (int i = 0; i < 30; ++i) {
    b.send(level(0, 2, 1), 0);
    b.send(level(1, 2, 2), 0);
  }
  b.run(kMillisecond);
  const auto& port = b.look(kMillisecond).ports[2];
  CHECK(port.queues[1].ecn_marked == port.ecn_marked);
  CHECK(port.ecn_marked > 5);
  CHECK(port.queues[1].dropped + port.queues[2].dropped == port.dropped);
  CHECK(port.dropped > 5);
  CHECK(port.queues[1].tx_packets + port.queues[2].tx_packets == port.tx_packets);
  CHECK(port.queues[1].tx_wire_bytes + port.queues[2].tx_wire_bytes == port.tx_wire_bytes);
}

TEST_CASE("priorities: a single level is the same as none", "[priorities]") {
  auto plain = star(4);
  plain.switches[0].dscp_to_queue = {};
  plain.switches[0].buffer = 60'000;
  for (auto& queue : plain.switches[0].queues) queue.ecn = {true, 5000, 40'000};
  auto single = plain;
  use_priorities(single.switches[0], 1);
  Bench a(plain), b(single);
  Rng rng(8);
  Time now = 0;
  for (int i = 0; i < 5000; ++i) {
    DataFrame f{static_cast<std::uint32_t>(rng.below(3)), 3};
    f.payload = static_cast<std::uint32_t>(rng.below(3000));
    f.dscp = static_cast<std::uint8_t>(rng.below(64));
    a.send(f, now);
    b.send(f, now);
    now += rng.below(1500 * kNanosecond);
    a.run(now);
    b.run(now);
  }
  a.run(now + kSecond);
  b.run(now + kSecond);
  REQUIRE(a.arrivals.size() == b.arrivals.size());
  for (std::size_t i = 0; i < a.arrivals.size(); ++i) {
    REQUIRE(a.arrivals[i].at == b.arrivals[i].at);
    REQUIRE(a.arrivals[i].bytes == b.arrivals[i].bytes);
  }
  CHECK(a.look(now).totals.dropped_buffer != 0);
}

TEST_CASE("priorities: PFC pauses one level", "[priorities]") {
  auto config = priority_star(3, 8);
  auto& sw = config.switches[0];
  sw.queues[1].lossless = true;
  sw.pause = {20'000, 10'000, 30'000, 0xffff};
  for (auto& link : config.links) link.flow_control = fabric::PauseMode::kPfc;
  for (auto& station : config.stations) {
    station.obeys = fabric::PauseMode::kPfc;
    for (std::size_t d = 0; d < 64; ++d) station.dscp_to_priority[d] = static_cast<std::uint8_t>(d / 8);
  }
  Bench b(config);
  for (int i = 0; i < 200; ++i) {
    b.send(level(0, 2, 1), 0);
    b.send(level(1, 2, 3), 0);
  }
  b.run(kSecond);
  const auto& snapshot = b.look(kSecond);
  CHECK(snapshot.totals.dropped_buffer == 0);
  CHECK(snapshot.ports[0].pause_tx > 0);
  CHECK(snapshot.ports[1].pause_tx == 0);
  std::size_t data = 0;
  for (const auto& a : b.at_station(2)) data += a.parsed().kind == roce::FrameKind::kUdp ? 1U : 0U;
  CHECK(data == 400);
}
