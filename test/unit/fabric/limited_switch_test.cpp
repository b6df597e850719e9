// SPDX-License-Identifier: BSD-3-Clause
// Tests rate limits together with everything else that delays, stores and drops frames in a switch.
#include "fabric_fixture.hpp"
#include "pause_frames.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;
using fabric::PauseMode;
using fabric::WatchdogConfig;

namespace {

constexpr std::uint64_t kLimit = 125'000'000;  // 1 Gb/s
constexpr std::uint8_t kLimitedClass = 1U << 3;
constexpr Time kPauseArrives = 84 * 800 + kDelay;  // from the departure of a pause frame to its arrival
constexpr Time kLimitedGap = 10 * kDataWire;       // between frames of a queue that may send 1 Gb/s

/// Returns a network with two stations. Queue 3 may send 1 Gb/s, without a burst.
NetworkConfig one_limited(PauseMode pause = PauseMode::kOff) {
  auto config = star(2);
  config.switches[0].queues[3].rates = {0, kLimit, 0};
  for (auto& link : config.links) link.flow_control = pause;
  return config;
}

std::vector<Time> times_at_receiver(const Bench& b) {
  std::vector<Time> times;
  for (const auto& a : b.at_station(1)) times.push_back(a.at);
  return times;
}

}  // namespace

TEST_CASE("limited switch: only the time in which pauses stop all waiting queues counts as paused") {
  Bench b(one_limited(PauseMode::kPfc));
  for (int i = 0; i < 3; ++i) b.send({0, 1}, 0);
  const Time first = 2 * kDataWire + 2 * kDelay;
  // The second frame has left. The third waits for the rate limit until 19 µs, and this wait does not count
  // as paused.
  const Time told = 12 * kMicrosecond;
  b.run(told);
  b.send(1, pfc_frame(kLimitedClass, 1000), told);
  b.run(kMillisecond);
  const Time end = told + kPauseArrives + 51'200 * kNanosecond;
  CHECK(times_at_receiver(b) == std::vector<Time>{first, first + kLimitedGap, end + kDataWire + kDelay});
  CHECK(b.look(kMillisecond).ports[1].paused == 51'200 * kNanosecond);
  CHECK(b.network.next_event() == kNever);
}

TEST_CASE("limited switch: after the end of a pause, a port that waits for its limit is not paused") {
  Bench b(one_limited(PauseMode::kPfc));
  for (int i = 0; i < 3; ++i) b.send({0, 1}, 0);
  // The pause begins when the second frame has left, and ends long before the third may leave.
  const Time told = 12 * kMicrosecond;
  b.run(told);
  b.send(1, pfc_frame(kLimitedClass, 20), told);
  b.run(kMillisecond);
  const Time first = 2 * kDataWire + 2 * kDelay;
  CHECK(times_at_receiver(b) == std::vector<Time>{first, first + kLimitedGap, first + 2 * kLimitedGap});
  CHECK(b.look(kMillisecond).ports[1].paused == 1024 * kNanosecond);
}

TEST_CASE("limited switch: the watchdog forwards at the maximum rate in spite of pauses") {
  auto config = one_limited(PauseMode::kPfc);
  config.switches[0].watchdog = {100 * kMicrosecond, kMillisecond, WatchdogConfig::Action::kForward};
  Bench b(config);
  b.send(1, pfc_frame(kLimitedClass, 0xffff), 0);
  b.run(10 * kMicrosecond);
  for (int i = 0; i < 4; ++i) b.send({0, 1}, 10 * kMicrosecond);
  const Time storm = 10 * kMicrosecond + kDataWire + kDelay + 100 * kMicrosecond;
  b.run(storm + 100 * kMicrosecond);  // the pause lasts 3.4 ms
  const Time first = storm + kDataWire + kDelay;
  CHECK(times_at_receiver(b) ==
        std::vector<Time>{first, first + kLimitedGap, first + 2 * kLimitedGap, first + 3 * kLimitedGap});
  CHECK(b.look(storm + 100 * kMicrosecond).ports[1].watchdog_forwarded == 4);
}

TEST_CASE("limited switch: the watchdog drops a limited class, and finds no storm in the limit itself") {
  auto config = one_limited(PauseMode::kPfc);
  config.switches[0].watchdog = {5 * kMicrosecond, kMillisecond, WatchdogConfig::Action::kDrop};
  Bench b(config);
  for (int i = 0; i < 4; ++i) b.send({0, 1}, 0);
  b.run(15 * kMicrosecond);
  CHECK(b.look(15 * kMicrosecond).ports[1].watchdog_storms == 0);
  CHECK(b.at_station(1).size() == 2);
  b.send(1, pfc_frame(kLimitedClass, 0xffff), 15 * kMicrosecond);
  b.run(kMillisecond);
  CHECK(b.look(kMillisecond).ports[1].watchdog_dropped == 2);
  CHECK(b.at_station(1).size() == 2);
  CHECK(b.conserved(kMillisecond));
}

TEST_CASE("limited switch: the MAC takes frames in advance and does not change the rate") {
  auto config = one_limited();
  const auto arrivals = [&] {
    Bench b(config);
    for (int i = 0; i < 6; ++i) b.send({0, 1}, 0);
    b.run(5 * kMicrosecond);
    const std::uint64_t queued = b.look(5 * kMicrosecond).ports[1].queue_bytes;
    b.run(kMillisecond);
    CHECK(b.conserved(kMillisecond));
    CHECK(b.store.out == 0);
    return std::pair{times_at_receiver(b), queued};
  };
  const auto plain = arrivals();
  config.switches[0].memory.mac_leak = 2 * kDataLength;
  const auto leaking = arrivals();
  CHECK(plain.first.size() == 6);
  CHECK(leaking.first == plain.first);
  // Five frames have arrived, and one has left. Two of the remaining four are in the MAC.
  CHECK(plain.second == 4 * kDataLength);
  CHECK(leaking.second == 2 * kDataLength);
}

TEST_CASE("limited switch: a frame is stored while its queue or the port may not send") {
  auto config = star(3);
  config.switches[0].times.cut_through = true;
  const Time cut = kDataWire + 2 * kDelay + 64 * 800;
  // The limit permits the second frame at 9.4 µs. At that time, its header has arrived, but its last bit has
  // not.
  const Time again = 8500 * kNanosecond;
  const auto latency = [&](std::uint8_t dscp) {
    Bench b(config);
    b.send({0, 1}, 0);
    b.run(again);
    b.send({2, 1, 1024, 17, dscp}, again);
    b.run(kMillisecond);
    REQUIRE(b.arrivals.size() == 2);
    CHECK(b.arrivals[0].at == cut);
    return b.arrivals[1].at - again;
  };
  CHECK(latency(26) == cut);
  const Time stored = 2 * kDataWire + 2 * kDelay;
  config.switches[0].queues[3].rates = {0, kLimit, 0};
  CHECK(latency(26) == stored);
  CHECK(latency(0) == cut);
  config.switches[0].queues[3].rates = {};
  config.switches[0].scheduler.port_rate = kLimit;
  config.switches[0].scheduler.port_burst = 0;
  CHECK(latency(0) == stored);
}

TEST_CASE("limited switch: frames that are dropped at departure do not count") {
  auto config = one_limited();
  config.switches[0].queues[3].ecn = {true, 1, 1};
  config.switches[0].queues[3].ecn.at_dequeue = true;
  config.switches[0].queues[3].ecn.drop_not_ect = true;
  Bench b(config);
  DataFrame f;
  b.send(f, 0);
  f.ecn = roce::Ecn::kNotEct;
  for (int i = 0; i < 3; ++i) b.send(f, 0);
  b.run(kMillisecond);
  // The second and third frames are dropped when the limit would let them leave. The fourth leaves at that
  // time.
  const Time first = 2 * kDataWire + 2 * kDelay;
  CHECK(times_at_receiver(b) == std::vector<Time>{first, first + kLimitedGap});
  CHECK(b.look(kMillisecond).ports[1].ecn_dropped == 2);
  CHECK(b.snapshot.ports[1].queues[3].tx_packets == 2);
}
