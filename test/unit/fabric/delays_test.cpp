// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/wire_time.hpp"
#include "fabric_fixture.hpp"
#include "pause_frames.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;
using fabric::PauseMode;
using fabric::SwitchTimes;

namespace {

constexpr Time kPipeline = 400 * kNanosecond;
constexpr Time kHeaderTime = SwitchTimes::kHeader * 800;  // at 10 Gb/s

NetworkConfig timed_star(std::uint32_t stations, const SwitchTimes& times,
                         PauseMode pause = PauseMode::kOff) {
  auto config = star(stations);
  config.switches[0].times = times;
  for (auto& link : config.links) link.flow_control = pause;
  return config;
}

/// Returns the arrival times at station `to` of frames sent by station 0 at `at`.
std::vector<Time> arrivals(const NetworkConfig& config, const std::vector<Time>& at, std::uint32_t to = 1,
                           std::uint32_t payload = 1024) {
  Bench b(config);
  for (const Time t : at) {
    b.run(t);
    b.send({0, to, payload}, t);
  }
  b.run(kSecond);
  CHECK(b.conserved(kSecond));
  CHECK(b.store.out == 0);
  std::vector<Time> times;
  for (const auto& a : b.at_station(to)) times.push_back(a.at);
  return times;
}

constexpr Time kStored = 2 * kDataWire + 2 * kDelay;  ///< latency of a switch that stores and forwards

}  // namespace

TEST_CASE("pipeline: adds to the latency of each frame, and costs no rate") {
  CHECK(arrivals(timed_star(2, {}), {0, 0}) == std::vector<Time>{kStored, kStored + kDataWire});
  CHECK(arrivals(timed_star(2, {.pipeline = kPipeline}), {0, 0}) ==
        std::vector<Time>{kStored + kPipeline, kStored + kPipeline + kDataWire});
}

TEST_CASE("pipeline: flooded frames and frames in it are accounted for") {
  Bench b(timed_star(3, {.pipeline = kMillisecond}));
  auto bytes = data_bytes({0, 1});
  std::fill_n(bytes.begin(), 6, std::uint8_t{0xff});
  b.send(0, bytes, 0);
  b.send({0, 7}, 0);
  b.run(kMillisecond / 2);
  CHECK(b.conserved(kMillisecond / 2));
  CHECK(b.snapshot.totals.in_network == 2);
  b.run(2 * kMillisecond);
  REQUIRE(b.arrivals.size() == 2);
  CHECK(b.arrivals[0].at == kStored + kMillisecond);
  CHECK(b.look(2 * kMillisecond).totals.dropped_unknown == 1);
}

TEST_CASE("cut-through: a frame leaves after its header if the egress port is idle") {
  const Time cut = kDataWire + 2 * kDelay + kHeaderTime;
  CHECK(arrivals(timed_star(2, {.cut_through = true}), {0}) == std::vector<Time>{cut});
  CHECK(arrivals(timed_star(2, {.pipeline = kPipeline, .cut_through = true}), {0}) ==
        std::vector<Time>{cut + kPipeline});
  // The pipeline may take longer than the frame.
  CHECK(arrivals(timed_star(2, {.pipeline = 100 * kMicrosecond, .cut_through = true}), {0, 0}) ==
        std::vector<Time>{cut + 100 * kMicrosecond, cut + 100 * kMicrosecond + kDataWire});
  // The smallest frame is longer on the wire than the header.
  const Time small = fabric::wire_bytes(static_cast<std::uint32_t>(data_bytes({0, 1, 0}).size())) * 800;
  CHECK(arrivals(timed_star(2, {.cut_through = true}), {0}, 1, 0) ==
        std::vector<Time>{small + 2 * kDelay + kHeaderTime});
}

TEST_CASE("cut-through: frames at line rate cut through one after another") {
  const Time cut = kDataWire + 2 * kDelay + kHeaderTime;
  CHECK(arrivals(timed_star(2, {.cut_through = true}), {0, 0, 0}) ==
        std::vector<Time>{cut, cut + kDataWire, cut + 2 * kDataWire});
}

TEST_CASE("cut-through: to a slower port, but not to a faster one") {
  auto config = timed_star(2, {.pipeline = kPipeline, .cut_through = true});
  config.links[1].rate = k10G / 4;
  CHECK(arrivals(config, {0}) == std::vector<Time>{4 * kDataWire + 2 * kDelay + kHeaderTime + kPipeline});
  config.links[1].rate = k10G * 4;
  CHECK(arrivals(config, {0}) == std::vector<Time>{kDataWire + kDataWire / 4 + 2 * kDelay + kPipeline});
}

TEST_CASE("cut-through: over two switches") {
  auto config = timed_star(2, {.pipeline = kPipeline, .cut_through = true});
  config.switches.push_back(config.switches[0]);
  config.links[1].b = switch_(1);
  auto uplink = config.links[0];
  uplink.a = switch_(0);
  uplink.b = switch_(1);
  config.links.push_back(uplink);
  CHECK(arrivals(config, {0}) == std::vector<Time>{kDataWire + 3 * kDelay + 2 * (kHeaderTime + kPipeline)});
}

TEST_CASE("cut-through: a frame is stored if the egress port is busy, has frames to send, or is paused") {
  const SwitchTimes times{.pipeline = kPipeline, .cut_through = true};
  const Time before = 10 * kMicrosecond;
  // Station 2's frame begins to leave 100 ns before station 0's frame could.
  Bench busy(timed_star(3, times));
  busy.send({2, 1}, before - 100 * kNanosecond);
  busy.run(before);
  busy.send({0, 1}, before);
  busy.run(kMillisecond);
  REQUIRE(busy.arrivals.size() == 2);
  CHECK(busy.arrivals[0].at == before - 100 * kNanosecond + kDataWire + 2 * kDelay + kHeaderTime + kPipeline);
  CHECK(busy.arrivals[1].at == before + kStored + kPipeline);

  Bench paused(timed_star(2, times, PauseMode::kPause));
  paused.send(1, pause_frame(1000), 0);
  paused.run(before);
  paused.send({0, 1}, before);
  paused.run(kMillisecond);
  REQUIRE(paused.arrivals.size() == 1);
  const Time told = 84 * 800 + kDelay;
  CHECK(paused.arrivals[0].at == told + 51'200 * kNanosecond + kDataWire + kDelay);
}

TEST_CASE("cut-through: a frame is stored if others wait, or if its pause ends before it has been received") {
  const SwitchTimes times{.pipeline = kPipeline, .cut_through = true};
  Bench waits(timed_star(2, times, PauseMode::kPfc));
  waits.send(1, pfc_frame(1U << 3, 0xffff), 0);
  waits.run(10 * kMicrosecond);
  waits.send({0, 1}, 10 * kMicrosecond);
  waits.run(20 * kMicrosecond);
  waits.send({0, 1, 1024, 17, 0}, 20 * kMicrosecond);
  waits.run(kMillisecond);
  REQUIRE(waits.arrivals.size() == 1);
  CHECK(waits.arrivals[0].at == 20 * kMicrosecond + kStored + kPipeline);

  Bench ends(timed_star(2, times, PauseMode::kPause));
  ends.send(1, pause_frame(1000), 0);
  const Time end = 84 * 800 + kDelay + 51'200 * kNanosecond;
  // The header has passed the pipeline 100 ns before the end of the pause.
  const Time at = end - 100 * kNanosecond - kPipeline - kHeaderTime - kDelay;
  ends.run(at);
  ends.send({0, 1}, at);
  ends.run(kMillisecond);
  REQUIRE(ends.arrivals.size() == 1);
  CHECK(ends.arrivals[0].at == at + kStored + kPipeline);
}

TEST_CASE("cut-through: flooded frames and frames over links with faults are stored") {
  Bench b(timed_star(3, {.cut_through = true}));
  auto bytes = data_bytes({0, 1});
  std::fill_n(bytes.begin(), 6, std::uint8_t{0xff});
  b.send(0, bytes, 0);
  b.run(kMillisecond);
  REQUIRE(b.arrivals.size() == 2);
  CHECK(b.arrivals[0].at == kStored);
  auto config = timed_star(2, {.cut_through = true});
  config.links[0].a_to_b.drop = 1;
  CHECK(arrivals(config, {0}) == std::vector<Time>{kStored});
}

TEST_CASE("cut-through: a pause frame takes effect when it has been received completely") {
  Bench b(timed_star(2, {.cut_through = true}, PauseMode::kPause));
  b.send(1, pause_frame(0xffff), 0);
  b.run(kDelay + 84 * 800 - 1);
  CHECK(b.look(kDelay).ports[1].pause_rx == 0);
  b.run(kDelay + 84 * 800);
  CHECK(b.look(kDelay).ports[1].pause_rx == 1);
}

TEST_CASE("pause response: stop, duration and resumption are delayed") {
  const Time response = 3 * kMicrosecond;
  const Time told = 84 * 800 + kDelay;
  for (const Time delay : {Time{0}, response}) {
    Bench b(timed_star(2, {.pause_response = delay}, PauseMode::kPause));
    // Station 0 sends at line rate. Frames arrive one after another, except while the switch is paused.
    for (int i = 0; i < 200; ++i) b.send({0, 1}, 0);
    const Time at = 20 * kMicrosecond;
    b.run(at);
    b.send(1, pause_frame(1000), at);
    b.run(at + told);
    CHECK(b.conserved(at + told));
    b.run(100 * kMicrosecond);
    b.send(1, pause_frame(0xffff), 100 * kMicrosecond);
    b.run(130 * kMicrosecond);
    b.send(1, pause_frame(0), 130 * kMicrosecond);
    b.run(kSecond);
    REQUIRE(b.arrivals.size() == 200);
    std::vector<Time> begins;  // time of the first bit after each gap
    std::vector<Time> ends;    // time of the last bit before each gap
    for (std::size_t i = 1; i < 200; ++i) {
      if (b.arrivals[i].at - b.arrivals[i - 1].at == kDataWire) continue;
      ends.push_back(b.arrivals[i - 1].at - kDelay);
      begins.push_back(b.arrivals[i].at - kDataWire - kDelay);
    }
    REQUIRE(begins.size() == 2);
    const Time stop = at + told + delay;
    CHECK(ends[0] >= stop);
    CHECK(ends[0] < stop + kDataWire);
    CHECK(begins[0] == stop + 51'200 * kNanosecond);
    CHECK(ends[1] >= 100 * kMicrosecond + told + delay);
    CHECK(ends[1] < 100 * kMicrosecond + told + delay + kDataWire);
    CHECK(begins[1] == 130 * kMicrosecond + told + delay);
  }
}

TEST_CASE("pause generation: XOFF, repetitions and XON leave later") {
  const auto told = [](Time generation) {
    auto config = timed_star(2, {.pause_generation = generation}, PauseMode::kPause);
    config.switches[0].pause = {1'000, 500, 10'000, 1000};
    config.links[1].rate = k10G / 100;
    Bench b(config);
    for (int i = 0; i < 3; ++i) b.send({0, 1}, 0);
    b.run(kSecond);
    CHECK(b.conserved(kSecond));
    std::vector<Time> at;
    for (const auto& a : b.at_station(0)) at.push_back(a.at);
    CHECK(pause_in(b.at_station(0).back().bytes)->quanta[0] == 0);
    CHECK(b.network.next_event() == kNever);
    return at;
  };
  const Time generation = 700 * kNanosecond;
  auto expected = told(0);
  REQUIRE(expected.size() > 5);
  for (Time& at : expected) at += generation;
  CHECK(told(generation) == expected);
}

TEST_CASE("times of switches are limited") {
  CHECK_THROWS_WITH(fabric::check(timed_star(2, {.pipeline = kMillisecond + 1})), Catch::Contains("1 ms"));
}
