// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/rate_limits.hpp"

#include "fabric_fixture.hpp"

#include <array>
#include <stdexcept>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;
using fabric::kQueues;
using fabric::RateMeter;

namespace {

constexpr std::uint64_t kOneGigabit = 125'000'000;
constexpr std::uint32_t kLimitedPayload = 1024;
constexpr std::uint32_t kLimitedFrame = 1082;  // bytes of a frame, with headers and iCRC

/// Returns a network in which stations 0 and 1 send to station 2. DSCPs 8q to 8q + 7 use queue q.
NetworkConfig sharing() {
  NetworkConfig config = star(3);
  config.switches[0].buffer = 256 << 20;
  for (std::uint8_t dscp = 0; dscp < 64; ++dscp)
    config.switches[0].dscp_to_queue[dscp] = static_cast<std::uint8_t>(dscp / 8);
  return config;
}

/// Sends 10.8 Gb/s for each of these queues to station 2, from `begin` to `end`.
void offer(Bench& b, std::initializer_list<std::uint8_t> queues, Time begin, Time end) {
  for (Time now = begin; now < end; now += 819 * kNanosecond) {
    b.run(now);
    for (const std::uint8_t q : queues)
      b.send({q % 2U, 2, kLimitedPayload, 17, static_cast<std::uint8_t>(8 * q)}, now);
  }
  b.run(end);
}

/// Offers traffic for the given queues, and returns the rates that they get from 2 to 10 ms, in Gb/s on the
/// wire.
std::array<double, kQueues> shares_of_port(const NetworkConfig& config,
                                           std::initializer_list<std::uint8_t> queues) {
  Bench b(config);
  offer(b, queues, 0, 2 * kMillisecond);
  const auto before = b.look(2 * kMillisecond).ports[2].queues;
  offer(b, queues, 2 * kMillisecond, 10 * kMillisecond);
  const auto after = b.look(10 * kMillisecond).ports[2].queues;
  std::array<double, kQueues> rates{};
  for (std::size_t q = 0; q < kQueues; ++q)
    rates[q] = static_cast<double>(after[q].tx_wire_bytes - before[q].tx_wire_bytes) * 8 / 8e6;
  CHECK(b.conserved(10 * kMillisecond));
  return rates;
}

NetworkConfig fast_senders() {
  NetworkConfig config = sharing();
  config.links[0].rate = config.links[1].rate = 100 * k10G;
  return config;
}

}  // namespace

TEST_CASE("rate meter: a burst, then the rate") {
  RateMeter meter(kOneGigabit, 3000);
  int conforming = 0;
  while (meter.conforms_at() <= 0) {
    meter.count(1000, 0);
    ++conforming;
  }
  // Four frames conform although the bucket holds 3000 bytes, because the last frame may overdraw it.
  CHECK(conforming == 4);
  CHECK(meter.conforms_at() == 8 * kMicrosecond);
  meter.count(1000, 8 * kMicrosecond);
  CHECK(meter.conforms_at() == 16 * kMicrosecond);
  // Idle time fills the bucket, but not above the burst.
  Time now = kSecond;
  conforming = 0;
  for (; meter.conforms_at() <= now; ++conforming) meter.count(1000, now);
  CHECK(conforming == 4);
}

TEST_CASE("rate limits: a maximum rate of a queue") {
  NetworkConfig config = fast_senders();
  config.switches[0].queues[3].rates = {0, 2 * kOneGigabit, 16'384};
  auto rates = shares_of_port(config, {3});
  CHECK(rates[3] == Approx(2).epsilon(0.002));
  // The other queues share the remaining rate.
  rates = shares_of_port(config, {1, 3, 5});
  CHECK(rates[3] == Approx(2).epsilon(0.002));
  CHECK(rates[1] == Approx(4).epsilon(0.01));
  CHECK(rates[5] == Approx(4).epsilon(0.01));
  // The limit also holds for strict queues.
  config.switches[0].queues[3].weight = 0;
  rates = shares_of_port(config, {1, 3});
  CHECK(rates[3] == Approx(2).epsilon(0.002));
  CHECK(rates[1] == Approx(8).epsilon(0.002));
}

TEST_CASE("rate limits: a guaranteed rate comes before strict priority and before weights") {
  NetworkConfig config = fast_senders();
  auto& queues = config.switches[0].queues;
  queues[7].weight = 0;
  auto rates = shares_of_port(config, {1, 7});
  CHECK(rates[1] == 0);
  queues[1].rates = {kOneGigabit, 0, 16'384};
  rates = shares_of_port(config, {1, 2, 7});
  CHECK(rates[1] == Approx(1).epsilon(0.005));
  CHECK(rates[2] == 0);
  CHECK(rates[7] == Approx(9).epsilon(0.005));
  // The rate beyond the guarantee is shared by weight.
  queues[7].weight = 1;
  rates = shares_of_port(config, {1, 2});
  CHECK(rates[1] == Approx(1 + 4.5).epsilon(0.01));
  CHECK(rates[2] == Approx(4.5).epsilon(0.01));
}

TEST_CASE("rate limits: a queue that sent more than its guarantee keeps the guarantee") {
  NetworkConfig config = fast_senders();
  auto& queues = config.switches[0].queues;
  queues[7].weight = 0;
  queues[1].rates = {kOneGigabit, 0, 16'384};
  Bench b(config);
  // Queue 1 has the port to itself until 5 ms.
  offer(b, {1}, 0, 5 * kMillisecond);
  offer(b, {1, 7}, 5 * kMillisecond, 6 * kMillisecond);
  const auto before = b.look(6 * kMillisecond).ports[2].queues[1].tx_wire_bytes;
  offer(b, {1, 7}, 6 * kMillisecond, 10 * kMillisecond);
  const auto after = b.look(10 * kMillisecond).ports[2].queues[1].tx_wire_bytes;
  CHECK(static_cast<double>(after - before) * 8 / 4e6 == Approx(1).epsilon(0.01));
}

TEST_CASE("rate limits: the rate of a port") {
  NetworkConfig config = fast_senders();
  config.switches[0].scheduler.port_rate = 5 * kOneGigabit;
  const auto rates = shares_of_port(config, {1, 3});
  CHECK(rates[1] + rates[3] == Approx(5).epsilon(0.001));
  CHECK(rates[1] == Approx(rates[3]).epsilon(0.01));
  // With a different overhead, a frame counts as a different number of bytes.
  config.switches[0].scheduler.overhead = 0;
  const double wire = static_cast<double>(kLimitedFrame + 24) / kLimitedFrame;
  CHECK(shares_of_port(config, {1})[1] == Approx(5 * wire).epsilon(0.001));
}

TEST_CASE("rate limits: the port is idle between the frames of a slow queue, and is not paused") {
  NetworkConfig config = sharing();
  config.switches[0].queues[3].rates = {0, kOneGigabit / 10, 0};
  Bench b(config);
  for (int i = 0; i < 3; ++i) b.send({0, 2, kLimitedPayload, 17, 24}, 0);
  b.run(kMillisecond);
  const auto got = b.at_station(2);
  REQUIRE(got.size() == 3);
  const Time gap = (kLimitedFrame + 24) * 80 * kNanosecond;
  CHECK(got[1].at - got[0].at == gap);
  CHECK(got[2].at - got[1].at == gap);
  CHECK(b.look(kMillisecond).ports[2].paused == 0);
  CHECK(b.network.next_event() == kNever);
  // A queue without a limit may send in the gap between two frames of the slow queue.
  b.send({0, 2, kLimitedPayload, 17, 24}, kMillisecond);
  b.send({0, 2, kLimitedPayload, 17, 24}, kMillisecond);
  b.send({1, 2, kLimitedPayload, 17, 0}, kMillisecond + 2 * kMicrosecond);
  b.run(2 * kMillisecond);
  const auto later = b.at_station(2);
  REQUIRE(later.size() == 6);
  CHECK(later[5].at - later[3].at == gap);
  CHECK(later[4].at - later[3].at < 10 * kMicrosecond);
}

TEST_CASE("rate limits: invalid limits are refused") {
  NetworkConfig config = sharing();
  fabric::SwitchConfig& sw = config.switches[0];
  SECTION("guarantee above maximum") { sw.queues[3].rates = {2, 1, 0}; }
  SECTION("rate") { sw.queues[3].rates = {0, 1'000'000'000'001, 0}; }
  SECTION("burst") { sw.queues[3].rates = {1, 0, (1 << 30) + 1}; }
  SECTION("port") { sw.scheduler.port_rate = 1'000'000'000'001; }
  SECTION("overhead") { sw.scheduler.overhead = 257; }
  TestStore store;
  CHECK_THROWS_AS(Network(config, store), std::invalid_argument);
}
