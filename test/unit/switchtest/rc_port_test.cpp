// SPDX-License-Identifier: BSD-3-Clause
#include "switch_sets.hpp"
#include "switchtest/test_port.hpp"
#include "switchtest/virtual_rig.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

constexpr std::uint32_t kLength = 1022;

/// Returns a trial with RC frames from port 0 to port 3.
Trial rc_stream(std::uint64_t count, Time gap) {
  Trial trial;
  trial.kinds.push_back({.to = 3, .length = kLength, .rc_source_qp = 0x200, .record = true});
  trial.sources.push_back({.port = 0, .kinds = {0}, .count = count, .gap = gap});
  trial.answers = Answers{};
  trial.end = 20 * kMillisecond;
  return trial;
}

/// Returns a trial in which a single board sends, and port 3 sends CNPs to it at these times.
Trial board(std::vector<Time> cnps) {
  Trial trial = rc_stream(UINT64_MAX, 0);
  trial.sources[0].end = 10 * kMillisecond;
  trial.sources[0].dcqcn = dcqcn::FirmwareSettings{};
  trial.answers->cnps = false;
  for (const Time at : cnps) trial.forged_cnps.push_back({0, at});
  return trial;
}

/// Returns the number of frames that departed in the millisecond after `from`.
auto departed_in(const TrialResult& result, Time from) {
  return std::count_if(result.arrivals.begin(), result.arrivals.end(), [&](const Arrival& a) {
    return a.departed >= from && a.departed < from + kMillisecond;
  });
}

}  // namespace

TEST_CASE("RC frames arrive like others, and their acknowledgements are not foreign", "[switchtest]") {
  VirtualRig rig(test::set_v1());
  const TrialResult result = rig.run(rc_stream(1'000, 2 * kMicrosecond));
  CHECK(result.valid());
  CHECK(result.kinds[0].arrived == 1'000);
  CHECK(result.kinds[0].damaged == 0);
  CHECK(result.foreign == 0);
  CHECK(result.cnps.empty());
  CHECK(result.sent_cnps.empty());
}

TEST_CASE("CE marks are answered with CNPs, one per interval", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  test::mark_all_queues(network.switches[0], 0, 0);  // marks every frame
  VirtualRig rig(network);
  Trial trial = rc_stream(500, 2 * kMicrosecond);  // the stream lasts 1 ms
  const auto [enabled, interval, expected] =
      GENERATE(std::tuple{true, 50 * kMicrosecond, 20U}, std::tuple{true, 10 * kMicrosecond, 100U},
               std::tuple{true, Time{0}, 500U}, std::tuple{false, 50 * kMicrosecond, 0U});
  trial.answers->cnps = enabled;
  trial.answers->cnp_interval = interval;
  const TrialResult result = rig.run(trial);
  CHECK(result.kinds[0].ecn[3] == 500);
  REQUIRE(result.cnps.size() == expected);
  REQUIRE(result.sent_cnps.size() == expected);
  for (std::size_t i = 0; i < expected; ++i) {
    CHECK(result.cnps[i].identification == i);
    // The CNP takes the time of 98 bytes on each of the two wires, and the delays of both links.
    CHECK(result.cnps[i].at - result.sent_cnps[i].at == 1'156'800);
    CHECK(result.sent_cnps[i].at == result.arrivals[i * 500 / expected].at);
  }
}

TEST_CASE("Frames are counted in the intervals in which they arrive", "[switchtest]") {
  VirtualRig rig(test::set_v1());
  Trial trial = rc_stream(1'000, 2 * kMicrosecond);
  trial.series_interval = kMillisecond;
  const auto series = rig.run(trial).kinds[0].series;
  REQUIRE(series.size() == 20);
  CHECK(series[0] + series[1] + series[2] == 1'000);
  CHECK(series[0] == 499);  // frame 499 leaves at 998 µs and arrives after 1 ms
  CHECK(series[1] == 500);
  CHECK(series[3] == 0);
}

TEST_CASE("CNPs slow a board down, and it recovers", "[switchtest]") {
  VirtualRig rig(test::set_v1());
  Trial trial = board({4 * kMillisecond});
  trial.sources[0].dcqcn->parameters.rate_inc_interval = 50'000;  // 320 µs
  trial.sources[0].dcqcn->bucket.size = 8192;
  const TrialResult result = rig.run(trial);
  const auto line = departed_in(result, 2 * kMillisecond);
  CHECK(line == 1'195);  // frames of 1046 bytes on the wire
  REQUIRE(result.cnps.size() == 1);
  // The CNP halves the rate. DCQCN counts the 976 bytes from BTH to pad, out of 1046 on the wire.
  const auto after = departed_in(result, 4'050 * kMicrosecond);
  CHECK(after > line / 2);
  CHECK(after < line * 8 / 10);
  CHECK(departed_in(result, 8 * kMillisecond) > line * 95 / 100);
}

TEST_CASE("Many CNPs bring a board to its lowest rate", "[switchtest]") {
  VirtualRig rig(test::set_v1());
  std::vector<Time> cnps;
  for (Time at = kMillisecond; at < 9 * kMillisecond; at += 50 * kMicrosecond) cnps.push_back(at);
  Trial trial = board(cnps);
  trial.sources[0].dcqcn->bucket.size = 8192;
  const TrialResult result = rig.run(trial);
  CHECK(result.sent_cnps.size() == cnps.size());
  CHECK(result.cnps.size() == cnps.size());
  const double lowest = static_cast<double>(dcqcn::FirmwareParameters{}.rmin) / (kLength - 46) / 1000;
  CHECK(static_cast<double>(departed_in(result, 7 * kMillisecond)) == Approx(lowest).margin(1.5));
}

TEST_CASE("A CNP for another queue pair does not slow a board down", "[switchtest]") {
  VirtualRig rig(test::set_v1());
  Trial trial = board({4 * kMillisecond});
  trial.kinds.push_back({.to = 3, .length = kLength, .rc_source_qp = 0x300});
  trial.sources.push_back({.port = 1, .kinds = {1}, .count = 1});
  trial.forged_cnps[0].kind = 1;
  const TrialResult result = rig.run(trial);
  REQUIRE(result.cnps.size() == 1);
  CHECK(result.cnps[0].kind == 1);
  CHECK(departed_in(result, 5 * kMillisecond) == 1'195);
}

TEST_CASE("Trials with RC frames must be well-formed", "[switchtest]") {
  VirtualRig rig(test::set_v1());
  const auto bad = [&](auto change) {
    Trial trial = board({kMillisecond});
    change(trial);
    CHECK_THROWS_AS(rig.run(trial), std::invalid_argument);
  };
  bad([](Trial& t) { t.sources.push_back({.port = 1, .kinds = {0}}); });
  bad([](Trial& t) { t.kinds[0].rc_source_qp.reset(); });
  bad([](Trial& t) { t.kinds[0].plain_udp = true; });
  bad([](Trial& t) { t.kinds[0].ipv6 = true; });
  bad([](Trial& t) { t.answers->frames_per_ack = 0; });
  bad([](Trial& t) { t.forged_cnps[0].kind = 1; });
  bad([](Trial& t) { t.forged_cnps[0].at = t.end + 1; });
}

TEST_CASE("Answers do not leave before the questions have come", "[switchtest]") {
  const std::vector<RigPort> ports{{.name = "p0", .rate = test::kTenGigabit, .address = default_address(0)},
                                   {.name = "p1", .rate = test::kTenGigabit, .address = default_address(1)}};
  TestPort port(ports, 0);
  Trial trial;
  trial.end = kMillisecond;
  port.prepare(trial, 1, 0);
  std::array<std::uint8_t, 60> arp{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0x53, 0x54, 0x50, 0,    1,    8, 6,
                                   0,    1,    8,    0,    6,    4,    0, 1,    2,    0x53, 0x54, 0x50, 0, 1,
                                   0xc6, 0x12, 1,    1,    0,    0,    0, 0,    0,    0,    0xc6, 0x12, 0, 1};
  CHECK(port.next_event() == kNever);
  port.receive(Segments(ByteSpan(arp)), 5 * kMicrosecond);
  CHECK(port.next_event() == 5 * kMicrosecond);
}
