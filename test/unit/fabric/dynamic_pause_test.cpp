// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/wire_time.hpp"
#include "fabric_fixture.hpp"
#include "pause_frames.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::test;
using fabric::PauseMode;

namespace {

// The pauses of the receivers last at least until this time: 65535 quanta are 3.355 ms at 10 Gb/s.
constexpr Time kFrozen = 3 * kMillisecond;
constexpr Time kEach = 2 * kMicrosecond;    // interval between frames, longer than a frame on the wire
constexpr Time kBegin = 10 * kMicrosecond;  // time by which the switch has got the pauses of the receivers

/// A star of four stations. The switch pauses station 0 by 802.3x. Stations 2 and 3 have paused the switch.
struct FrozenStar {
  explicit FrozenStar(std::uint32_t alpha, std::uint64_t xon_offset = 0, std::uint64_t xon = kNoXon)
      : b(config(alpha, xon_offset, xon)) {
    for (const std::uint32_t s : {2U, 3U}) b.send(s, pause_frame(0xffff), 0);
    b.run(kBegin);
    now = kBegin;
  }
  static constexpr std::uint64_t kNoXon = fabric::PauseThresholds::kNoXon;

  static NetworkConfig config(std::uint32_t alpha, std::uint64_t xon_offset, std::uint64_t xon) {
    auto config = star(4);
    auto& sw = config.switches[0];
    sw.buffer = 100'000;
    sw.pause = {};
    sw.pause.xon = xon;
    sw.pause.xoff_alpha = alpha;
    sw.pause.xon_offset = xon_offset;
    for (const std::size_t link : {0U, 2U, 3U}) config.links[link].flow_control = PauseMode::kPause;
    return config;
  }

  void send(std::uint32_t from, std::uint32_t to, std::size_t frames) {
    for (std::size_t i = 0; i < frames; ++i, now += kEach) {
      b.send({from, to}, now);
      b.run(now);
    }
    b.run(now += kEach);
  }
  void resume(std::uint32_t station) {
    b.send(station, pause_frame(0), now);
    b.run(now += 2 * kEach);
  }
  std::uint64_t stops() { return b.look(now).ports[0].pause_tx; }
  std::uint64_t resumes() { return b.look(now).ports[0].resume_tx; }

  /// Sends frames from station 0 until it is paused, and returns their number.
  std::size_t frames_until_stopped() {
    std::size_t n = 0;
    for (; stops() == 0 && n < 200; ++n) send(0, 2, 1);
    return n;
  }

  Bench b;
  Time now = 0;
};

}  // namespace

TEST_CASE("dynamic pause: a sender is paused above alpha times the free bytes") {
  // Station 0 is paused at the first frame n for which n · 1082 > alpha · (100000 − n · 1082).
  CHECK(FrozenStar(256).frames_until_stopped() == 47);
  CHECK(FrozenStar(128).frames_until_stopped() == 31);
  CHECK(FrozenStar(1024).frames_until_stopped() == 74);
}

TEST_CASE("dynamic pause: the threshold falls as others fill the buffer") {
  FrozenStar s(256);
  s.send(1, 2, 50);
  // Station 1 uses 54100 bytes, so n · 1082 > 100000 − 54100 − n · 1082 must hold.
  CHECK(s.frames_until_stopped() == 22);
}

TEST_CASE("dynamic pause: a class that others have put above the threshold is paused at its next frame") {
  FrozenStar s(256);
  s.send(0, 2, 40);
  s.send(1, 2, 20);
  CHECK(s.stops() == 0);
  s.send(0, 2, 1);
  CHECK(s.stops() == 1);
  FrozenStar leaving(256);
  leaving.send(0, 2, 40);
  leaving.send(1, 3, 50);
  CHECK(leaving.stops() == 0);
  leaving.resume(2);  // frames of station 0 leave, but the rest is still above the threshold
  CHECK(leaving.stops() == 1);
}

TEST_CASE("dynamic pause: a sender is resumed when its own frames leave, down to threshold and offset") {
  for (const std::uint64_t offset : {0U, 30'000U}) {
    FrozenStar s(256, offset);
    const std::size_t n = s.frames_until_stopped();
    CHECK(s.resumes() == 0);
    s.b.send(2, pause_frame(0), s.now);
    Time at = s.now;
    while (s.b.look(at).ports[0].resume_tx == 0 && at < kFrozen) s.b.run(at += 10 * kNanosecond);
    // Station 0 is resumed as soon as m of its frames are left, where m · 1082 + offset <= 100000 − m · 1082.
    const std::size_t left = (100'000 - offset) / (2 * kDataLength);
    CHECK(s.b.snapshot.ports[2].queue_bytes == left * kDataLength);
    CHECK(left < n);
  }
}

TEST_CASE("dynamic pause: xon limits where a sender is resumed") {
  FrozenStar s(256, 0, 20'000);
  s.frames_until_stopped();
  s.b.send(2, pause_frame(0), s.now);
  Time at = s.now;
  while (s.b.look(at).ports[0].resume_tx == 0 && at < kFrozen) s.b.run(at += 10 * kNanosecond);
  CHECK(s.b.snapshot.ports[2].queue_bytes == 20'000 / kDataLength * kDataLength);
}

TEST_CASE("dynamic pause: a sender is resumed when frames of others leave") {
  FrozenStar s(256, 10'000);
  s.send(1, 3, 50);
  CHECK(s.frames_until_stopped() == 22);
  s.resume(3);
  s.b.run(s.now += 20 * kEach);
  CHECK(s.resumes() == 1);
  // None of the frames of station 0 has left.
  CHECK(s.b.snapshot.ports[2].queue_bytes == 22 * kDataLength);
  CHECK(s.b.at_station(2).empty());
  CHECK(s.now < kFrozen);
  // Station 0 was resumed when 2 · 22 · 1082 + 10000, plus the bytes of station 1, was at most 100000.
  s.b.run(kSecond);
  CHECK(s.b.conserved(kSecond));
  CHECK(s.b.look(kSecond).totals.in_network == 0);
  CHECK(s.b.network.next_event() == kNever);
}

TEST_CASE("dynamic pause: a departure may resume the sender at the same port") {
  auto config = FrozenStar::config(256, 0, FrozenStar::kNoXon);
  config.links[0].rate = k10G / 10;
  Bench b(config);
  b.send(2, pause_frame(0xffff), 0);
  b.run(kBegin);
  // The frames to station 0 queue up at its slow link, and lower the threshold.
  Time now = kBegin;
  for (int i = 0; i < 30; ++i, now += 10 * kMicrosecond) {
    for (int k = 0; k < (i < 8 ? 8 : 1); ++k) b.send({1, 0}, now);
    if (b.look(now).ports[0].pause_tx == 0) b.send({0, 2}, now);
    b.run(now);
  }
  CHECK(b.look(now).ports[0].pause_tx == 1);
  b.run(kFrozen);
  CHECK(b.look(kFrozen).ports[0].resume_tx == 1);
  CHECK(b.at_station(2).empty());
  const auto at_0 = b.at_station(0);
  for (std::size_t i = 1; i < at_0.size(); ++i) {
    const auto length = static_cast<std::uint32_t>(at_0[i].bytes.size());
    CHECK(at_0[i].at - at_0[i - 1].at >= fabric::wire_bytes(length) * 8000);
  }
}

TEST_CASE("dynamic pause: replaces the fixed threshold") {
  auto both = FrozenStar::config(256, 0, FrozenStar::kNoXon);
  both.switches[0].pause.xoff = 1000;
  CHECK_THROWS_WITH(fabric::check(both), Catch::Contains("exclude each other"));
}
