// SPDX-License-Identifier: BSD-3-Clause
#include "fabric_fixture.hpp"
#include "pause_frames.hpp"

#include <utility>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;
using fabric::PauseMode;
using fabric::WatchdogConfig;

namespace {

constexpr Time kDetection = 2 * kMillisecond;
constexpr Time kRestoration = kMillisecond;
constexpr Time kTold = 84 * 800 + kDelay;  // from the departure of a pause frame to its arrival
constexpr std::uint8_t kClass3 = 1U << 3;

/// In a storm, station 1 sends a pause for class 3 every 100 µs. Each pause lasts between 100 and 200 µs.
struct Storm {
  explicit Storm(WatchdogConfig::Action action, Time detection = kDetection) : b(config(action, detection)) {}
  static NetworkConfig config(WatchdogConfig::Action action, Time detection) {
    auto config = star(3);
    config.switches[0].watchdog = {detection, kRestoration, action};
    config.links[1].flow_control = PauseMode::kPfc;
    return config;
  }
  /// Runs until `end`, and sends frames of DSCP `dscp` from station 0 to station 1 at intervals of `every`.
  void run(Time end, bool storm, Time every = 0, std::uint8_t dscp = 26) {
    for (; now < end; now += 10 * kMicrosecond) {
      if (storm && now % (100 * kMicrosecond) == 0) b.send(1, pfc_frame(kClass3, 3000), now);
      if (every != 0 && now % every == 0) b.send({0, 1, 1024, 17, dscp}, now);
      b.run(now);
    }
    b.run(now = end);
  }
  const fabric::PortSnapshot& port() { return b.look(now).ports[1]; }
  std::size_t arrived() const { return b.at_station(1).size(); }

  Bench b;
  Time now = 0;
};

}  // namespace

TEST_CASE("watchdog: drops a class after the detection time, until the restoration time has passed") {
  Storm s(WatchdogConfig::Action::kDrop);
  s.run(50 * kMicrosecond, true);
  const Time begin = 50 * kMicrosecond;
  s.b.send({0, 1}, begin);
  const Time waits = begin + kDataWire + kDelay;  // time at which the frame is queued
  s.run(waits + kDetection - 1, true);
  CHECK(s.port().watchdog_storms == 0);
  CHECK(s.port().queue_bytes == kDataLength);
  s.run(waits + kDetection, true);
  CHECK(s.port().watchdog_storms == 1);
  CHECK(s.port().queue_bytes == 0);
  CHECK(s.port().watchdog_dropped == 1);
  // Frames of the class that arrive now are dropped. Frames of other classes pass.
  s.now = 3 * kMillisecond;
  s.run(4 * kMillisecond, true, 50 * kMicrosecond);
  CHECK(s.port().watchdog_dropped == 21);
  CHECK(s.port().dropped == 21);
  CHECK(s.port().queues[3].dropped == 21);
  CHECK(s.arrived() == 0);
  s.run(5 * kMillisecond, true, 50 * kMicrosecond, 0);
  CHECK(s.arrived() == 20);
  // The last pause ends 3000 quanta after it has arrived.
  const Time last = 4900 * kMicrosecond + kTold + 3000 * 51'200;
  s.b.run(last + kRestoration - 1);
  CHECK(s.b.look(s.now).ports[1].watchdog_restored == 0);
  s.b.run(last + kRestoration);
  CHECK(s.b.look(s.now).ports[1].watchdog_restored == 1);
  s.now = 7 * kMillisecond;
  s.run(8 * kMillisecond, false, 50 * kMicrosecond);
  CHECK(s.arrived() == 40);
  CHECK(s.port().watchdog_storms == 1);
  CHECK(s.b.conserved(s.now));
  CHECK(s.b.store.out == 0);
  CHECK(s.b.network.next_event() == kNever);
}

TEST_CASE("watchdog: forwards a class in spite of pauses") {
  Storm s(WatchdogConfig::Action::kForward);
  s.run(50 * kMicrosecond, true);
  s.run(2 * kMillisecond, true, 50 * kMicrosecond);
  CHECK(s.arrived() == 0);
  s.run(4 * kMillisecond, true, 50 * kMicrosecond);
  CHECK(s.port().watchdog_storms == 1);
  CHECK(s.port().watchdog_forwarded >= 78);
  CHECK(s.arrived() == s.port().watchdog_forwarded);
  CHECK(s.port().dropped == 0);
  // After the storm, the port obeys pauses again.
  s.run(6 * kMillisecond, false, 50 * kMicrosecond);
  CHECK(s.port().watchdog_restored == 1);
  const std::size_t before = s.arrived();
  CHECK(before == 119);
  s.run(7 * kMillisecond, true, 50 * kMicrosecond);
  CHECK(s.arrived() <= before + 1);
  CHECK(s.b.conserved(s.now));
}

TEST_CASE("watchdog: an interruption of the pause, or a departure, begins the detection time anew") {
  Storm s(WatchdogConfig::Action::kDrop);
  s.run(50 * kMicrosecond, true);
  s.run(1500 * kMicrosecond, true, 50 * kMicrosecond);
  CHECK(s.arrived() == 0);
  s.b.send(1, pfc_frame(kClass3, 0), s.now);
  s.b.run(s.now += 20 * kMicrosecond);
  CHECK(s.arrived() > 10);
  s.now = 1600 * kMicrosecond;
  s.run(3500 * kMicrosecond, true, 50 * kMicrosecond);
  CHECK(s.port().watchdog_storms == 0);
  s.run(3800 * kMicrosecond, true);
  CHECK(s.port().watchdog_storms == 1);
}

TEST_CASE("watchdog: the detection time begins with a pause, even if frames have waited for longer") {
  auto config = Storm::config(WatchdogConfig::Action::kDrop, kDetection);
  config.links[1].rate = k10G / 2000;  // a frame takes 1.77 ms
  Bench b(config);
  b.send({0, 1}, 0);
  b.send({0, 1}, 0);
  b.run(kMillisecond / 2);
  const Time told = 84 * 1'600'000 + kDelay;
  const std::vector<std::pair<std::uint16_t, Time>> pauses{
      {0xffff, kMillisecond / 2}, {0, kMillisecond}, {0xffff, 1200 * kMicrosecond}};
  for (const auto& [quanta, at] : pauses) {
    b.run(at);
    b.send(1, pfc_frame(kClass3, quanta), at);
  }
  const Time storm = 1200 * kMicrosecond + told + kDetection;
  b.run(storm - 1);
  CHECK(b.look(storm).ports[1].watchdog_storms == 0);
  b.run(storm);
  CHECK(b.look(storm).ports[1].watchdog_storms == 1);
}

TEST_CASE("watchdog: a pause without frames to send is no storm, nor are frames without a pause") {
  Storm idle(WatchdogConfig::Action::kDrop);
  idle.run(5 * kMillisecond, true);
  CHECK(idle.port().watchdog_storms == 0);
  Storm other(WatchdogConfig::Action::kDrop);
  other.run(5 * kMillisecond, true, 50 * kMicrosecond, 0);
  CHECK(other.port().watchdog_storms == 0);
  CHECK(other.arrived() == 100);
  // The detection time begins with the first frame.
  other.run(6900 * kMicrosecond, true, 50 * kMicrosecond);
  CHECK(other.port().watchdog_storms == 0);
  other.run(7100 * kMicrosecond, true);
  CHECK(other.port().watchdog_storms == 1);
}

TEST_CASE("watchdog: 802.3x pauses all classes, and each is watched") {
  auto config = Storm::config(WatchdogConfig::Action::kDrop, 100 * kMicrosecond);
  config.links[1].flow_control = PauseMode::kPause;
  Bench b(config);
  b.send(1, pause_frame(0xffff), 0);
  b.run(10 * kMicrosecond);
  for (const std::uint8_t dscp : {std::uint8_t{0}, std::uint8_t{26}})
    b.send({0, 1, 1024, 17, dscp}, 10 * kMicrosecond);
  b.run(200 * kMicrosecond);
  CHECK(b.look(200 * kMicrosecond).ports[1].watchdog_storms == 2);
  CHECK(b.snapshot.ports[1].watchdog_dropped == 2);
}

TEST_CASE("watchdog: dropped frames no longer pause their senders") {
  auto config = Storm::config(WatchdogConfig::Action::kDrop, kDetection);
  config.switches[0].pause = {3'000, 1'000, 0, 0xffff};
  config.links[0].flow_control = PauseMode::kPause;
  Bench b(config);
  b.send(1, pfc_frame(kClass3, 0xffff), 0);
  b.run(10 * kMicrosecond);
  for (int i = 0; i < 4; ++i) b.send({0, 1}, 10 * kMicrosecond);
  b.run(kMillisecond);
  CHECK(b.look(kMillisecond).ports[0].pause_tx == 1);
  CHECK(b.snapshot.ports[0].resume_tx == 0);
  b.run(3 * kMillisecond);
  CHECK(b.look(3 * kMillisecond).ports[0].resume_tx == 1);
}

TEST_CASE("watchdog: a quantum of 0 ends a pause, and later ones do not delay the restoration") {
  Storm s(WatchdogConfig::Action::kDrop);
  s.b.send(1, pfc_frame(kClass3, 0xffff), 0);
  s.b.run(10 * kMicrosecond);
  s.b.send({0, 1}, 10 * kMicrosecond);
  s.b.run(3 * kMillisecond);
  CHECK(s.b.look(3 * kMillisecond).ports[1].watchdog_storms == 1);
  for (const Time at : {3 * kMillisecond, 3500 * kMicrosecond}) {
    s.b.run(at);
    s.b.send(1, pfc_frame(kClass3, 0), at);
  }
  const Time end = 3 * kMillisecond + kTold + kRestoration;
  s.b.run(end - 1);
  CHECK(s.b.look(end - 1).ports[1].watchdog_restored == 0);
  s.b.run(end);
  CHECK(s.b.look(end).ports[1].watchdog_restored == 1);
}

TEST_CASE("watchdog: the queue has starved until its frames are dropped") {
  Storm s(WatchdogConfig::Action::kDrop);
  s.b.send(1, pfc_frame(kClass3, 0xffff), 0);
  s.b.run(10 * kMicrosecond);
  s.b.send({0, 1}, 10 * kMicrosecond);
  s.b.run(3 * kMillisecond);
  CHECK(s.b.look(3 * kMillisecond).ports[1].queues[3].starved == kDetection);
}

TEST_CASE("watchdog: dropped frames raise a dynamic threshold, which resumes other senders") {
  auto config = Storm::config(WatchdogConfig::Action::kDrop, kDetection);
  config.stations.push_back({"s3", mac_of(3)});
  config.links.push_back(config.links[2]);
  config.links[3].a = station(3);
  config.switches[0].buffer = 20 * kDataLength;
  config.switches[0].pause = {};
  config.switches[0].pause.xoff_alpha = 256;
  config.switches[0].pause.xon = fabric::PauseThresholds::kNoXon;
  for (const std::size_t link : {0U, 2U}) config.links[link].flow_control = PauseMode::kPfc;
  config.switches[0].queues[3].lossless = true;
  config.switches[0].queues[5].lossless = true;
  config.switches[0].dscp_to_queue[40] = 5;
  config.links[3].flow_control = PauseMode::kPfc;
  Bench b(config);
  // The frames of station 2 wait at the port to station 3, which is paused for longer than the storm at port
  // 1 lasts.
  b.send(3, pfc_frame(1U << 5, 0xffff), 0);
  b.send(1, pfc_frame(kClass3, 0xffff), 0);
  b.run(10 * kMicrosecond);
  for (int i = 0; i < 12; ++i) b.send({0, 1}, 10 * kMicrosecond);
  b.run(kMillisecond);
  for (int i = 0; i < 5; ++i) b.send({2, 3, 1024, 17, 40}, kMillisecond);
  // When the storm is detected, port 1 is transmitting a frame of another class, and no further frame of that
  // class waits.
  const Time storm = 10 * kMicrosecond + kDataWire + kDelay + kDetection;
  const Time busy = storm - kDataWire - kDelay - 100 * kNanosecond;
  b.run(busy);
  b.send({0, 1, 1024, 17, 0}, busy);
  b.run(storm - 1);
  CHECK(b.look(storm - 1).ports[2].pause_tx > 0);
  CHECK(b.snapshot.ports[2].resume_tx == 0);
  b.run(storm);
  CHECK(b.look(storm).ports[1].watchdog_storms == 1);
  CHECK(b.snapshot.ports[2].resume_tx == 1);
  CHECK(b.conserved(storm));
}
