// SPDX-License-Identifier: BSD-3-Clause
#include "switch_sets.hpp"
#include "switchtest/context.hpp"
#include "switchtest/tests.hpp"
#include "switchtest/virtual_rig.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

constexpr Time kWireOf1518 = 1'538 * 800;  // picoseconds at 10 Gb/s

Trial one_stream(FrameKind kind, Source source, Time end = 5 * kMillisecond) {
  Trial trial;
  kind.record = true;
  trial.kinds.push_back(kind);
  source.kinds = {0};
  trial.sources.push_back(std::move(source));
  trial.end = end;
  return trial;
}

/// Runs a trial in which port 3 is frozen, so that the switch pauses sender 0 with 802.3x.
TrialResult overfill(Obedience obedience) {
  fabric::NetworkConfig network = test::set_v1();
  for (auto& link : network.links) link.flow_control = fabric::PauseMode::kPause;
  network.switches[0].pause = {.xoff = 1000 * test::kKiB, .xon = 32 * test::kKiB, .headroom = 8 * test::kKiB};
  VirtualRig rig(network);
  Trial trial = one_stream({.to = 3, .length = 1514, .plain_udp = true},
                           {.port = 0, .start = 10 * kMicrosecond, .count = 1000});
  trial.obeyed = roce::PauseMode::kPause;
  trial.obedience = {obedience};
  trial.freezes.push_back({.port = 3, .until = 2 * kMillisecond});
  return rig.run(trial);
}

}  // namespace

TEST_CASE("Frames of every kind arrive as they were sent", "[switchtest]") {
  VirtualRig rig(test::set_v1());
  const auto [length, vlan, ipv6, plain] =
      GENERATE(std::tuple{74U, false, false, false}, std::tuple{4170U, false, false, false},
               std::tuple{94U, false, true, false}, std::tuple{1022U, true, false, false},
               std::tuple{60U, false, false, true}, std::tuple{9000U, true, false, true});
  FrameKind kind{.to = 3, .length = length, .dscp = 46, .ecn = roce::Ecn::kEct1};
  if (vlan) kind.vlan = roce::VlanTag{7, 5};
  kind.ipv6 = ipv6;
  kind.plain_udp = plain;
  kind.ttl = 9;
  const TrialResult result = rig.run(one_stream(kind, {.port = 1, .count = 3}));
  REQUIRE(result.arrivals.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const Arrival& a = result.arrivals[i];
    CHECK(a.intact);
    CHECK(a.sequence == i);
    CHECK(a.dscp == 46);
    CHECK(a.ecn == roce::Ecn::kEct1);
    CHECK(a.ttl == 9);
    CHECK(a.vlan == kind.vlan);
  }
  CHECK(result.kinds[0].damaged == 0);
  CHECK(result.foreign == 0);
}

TEST_CASE("Constant gaps hold, and a train without gaps fills the link", "[switchtest]") {
  VirtualRig rig(test::set_v1());
  const Time gap = GENERATE(Time{0}, Time{2 * kMicrosecond});
  const TrialResult result = rig.run(
      one_stream({.to = 3, .length = 1514, .plain_udp = true}, {.port = 0, .count = 100, .gap = gap}));
  REQUIRE(result.arrivals.size() == 100);
  for (std::size_t i = 0; i < 100; ++i)
    CHECK(result.arrivals[i].departed == i * (gap == 0 ? kWireOf1518 : gap));
  CHECK(result.late_max == 0);
}

TEST_CASE("Exponential gaps have the right mean and spread", "[switchtest]") {
  VirtualRig rig(test::set_v1());
  const Time mean = 20 * kMicrosecond;
  const TrialResult result = rig.run(
      one_stream({.to = 3, .length = 74},
                 {.port = 0, .count = 10'000, .gap = mean, .gap_kind = GapKind::kExponential}, kSecond));
  REQUIRE(result.arrivals.size() == 10'000);
  double sum = 0, squares = 0;
  for (std::size_t i = 1; i < result.arrivals.size(); ++i) {
    const double d = static_cast<double>(result.arrivals[i].departed - result.arrivals[i - 1].departed) /
                     static_cast<double>(mean);
    sum += d;
    squares += d * d;
  }
  const double n = static_cast<double>(result.arrivals.size() - 1);
  CHECK(sum / n == Approx(1).margin(0.04));
  CHECK(squares / n == Approx(2).margin(0.2));  // second moment of an exponential distribution
}

TEST_CASE("Two sources without gaps share a port", "[switchtest]") {
  VirtualRig rig(test::set_v1());
  Trial trial = one_stream({.to = 3, .length = 74}, {.port = 0, .count = 50});
  trial.kinds.push_back({.to = 3, .length = 74, .record = true});
  trial.sources.push_back({.port = 0, .kinds = {1}, .count = 50});
  const TrialResult result = rig.run(trial);
  const auto first_half = std::count_if(result.arrivals.begin(), result.arrivals.begin() + 50,
                                        [](const Arrival& a) { return a.kind == 0; });
  CHECK(first_half == 25);
}

TEST_CASE("A port obeys pauses at once, later, or never", "[switchtest]") {
  const TrialResult at_once = overfill({});
  CHECK(at_once.kinds[0].arrived == 1000);
  REQUIRE_FALSE(at_once.pauses.empty());
  CHECK(at_once.pauses.front().port == 0);
  // 677 frames of 1514 bytes reach 1000 KiB. The last bit of the last one takes 0.5 us over the link, as does
  // the pause frame.
  const Time stop = at_once.pauses.front().at;
  CHECK(stop == 10 * kMicrosecond + 677 * kWireOf1518 + 2 * 500 * kNanosecond + 84 * 800);

  const TrialResult later = overfill({.obeys = true, .after = 100 * kMicrosecond});
  CHECK(later.kinds[0].sent == 1000);
  CHECK(later.kinds[0].arrived <
        1000);  // 24 KiB of memory and 8 KiB of headroom do not hold what is sent in 100 us
  const TrialResult never = overfill({.obeys = false});
  CHECK(never.kinds[0].arrived < later.kinds[0].arrived);
  CHECK(never.kinds[0].last_departure == 10 * kMicrosecond + 999 * kWireOf1518);
}

TEST_CASE("A pause frame silences the switch for its quanta", "[switchtest]") {
  VirtualRig rig(test::set_v1());
  Trial trial = one_stream({.to = 3, .length = 1514, .plain_udp = true}, {.port = 0, .count = 200});
  roce::MacControl control;
  control.quanta[0] = 1000;
  trial.pauses.push_back({3, 50 * kMicrosecond, control});
  const TrialResult result = rig.run(trial);
  REQUIRE(result.arrivals.size() == 200);
  REQUIRE(result.sent_pauses.size() == 1);
  CHECK(result.sent_pauses[0].departed == 50 * kMicrosecond);
  Time resumed = 0;
  for (std::size_t i = 1; i < 200; ++i)
    if (result.arrivals[i].at - result.arrivals[i - 1].at > kWireOf1518) resumed = result.arrivals[i].at;
  // The pause begins when the pause frame (84 bytes on the wire) has arrived, and lasts 51.2 ns per quantum.
  CHECK(resumed == 50 * kMicrosecond + 84 * 800 + 2 * 500 * kNanosecond + 51'200 * kNanosecond + kWireOf1518);
}

TEST_CASE("No pause outlives its trial", "[switchtest]") {
  VirtualRig rig(test::set_v1());
  Trial first;
  first.end = kMicrosecond;
  roce::MacControl control;
  control.quanta[0] = 0xffff;
  first.pauses.push_back({3, 0, control});
  rig.run(first);
  const TrialResult second = rig.run(one_stream({.to = 3, .length = 74}, {.port = 0, .count = 1}));
  REQUIRE(second.arrivals.size() == 1);
  CHECK(second.arrivals[0].at < 2 * kMicrosecond);
}

TEST_CASE("Sources send their kinds in turn or at random", "[switchtest]") {
  VirtualRig rig(test::set_v1());
  Trial trial;
  for (int i = 0; i < 3; ++i) trial.kinds.push_back({.to = 3, .length = 74});
  trial.sources.push_back({.port = 0, .kinds = {0, 1, 2}, .count = 3000});
  trial.end = 5 * kMillisecond;
  for (const KindStats& kind : rig.run(trial).kinds) CHECK(kind.arrived == 1000);
  trial.sources[0].mixed = true;
  bool equal = true;
  for (const KindStats& kind : rig.run(trial).kinds) {
    CHECK(kind.arrived > 850);
    CHECK(kind.arrived < 1150);
    equal = equal && kind.arrived == 1000;
  }
  CHECK_FALSE(equal);
}

TEST_CASE("A port survives frames with any bytes", "[switchtest]") {
  VirtualRig rig(test::set_v1());
  Trial trial = one_stream({.to = 0, .length = 1022}, {.port = 0, .count = 1});
  trial.kinds.push_back({.to = 0, .length = 60, .plain_udp = true, .record = true});
  FrameWriter writer(trial, rig.ports(), 1, 7);
  TestPort port(rig.ports(), 0);
  port.prepare(trial, 7, 0);
  Rng random(1);
  std::array<std::uint8_t, engine::TxFrame::kHeaderRoom> header{};
  for (std::uint64_t n = 0; n < 20'000; ++n) {
    engine::TxFrame out;
    out.header = header.data();
    writer.write(static_cast<std::uint16_t>(n % 2), n, 0, out);
    std::vector<std::uint8_t> bytes(header.data(), header.data() + out.header_length);
    bytes.insert(bytes.end(), out.payload, out.payload + out.payload_length);
    bytes.insert(bytes.end(), out.trailer.begin(), out.trailer.begin() + out.trailer_length);
    for (std::uint64_t i = random.below(4); i != 0; --i)
      bytes[random.below(80) % bytes.size()] = static_cast<std::uint8_t>(random.next());
    if (random.below(4) == 0) bytes.resize(random.below(bytes.size() + 1));
    port.receive(ByteSpan(bytes), kMicrosecond);
  }
  TrialResult result;
  result.kinds.resize(2);
  result.start_skew.resize(1);
  result.latency.resize(1);
  port.collect(result);
  CHECK(result.kinds[0].arrived > 1000);
  CHECK(result.kinds[0].damaged > 1000);
  CHECK(result.kinds[1].arrived > 1000);
}

TEST_CASE("Lost, doubled, damaged and late frames are counted", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  fabric::LinkFaults& faults = network.links[0].a_to_b;
  constexpr std::uint64_t kOne = std::uint64_t{1} << 32;
  SECTION("lost") { faults.drop = kOne / 10; }
  SECTION("doubled") { faults.duplicate = kOne / 10; }
  SECTION("damaged") { faults.corrupt = kOne / 10; }
  SECTION("late") { faults.reorder = kOne / 10; }
  VirtualRig rig(network);
  const TrialResult result = rig.run(one_stream({.to = 3, .length = 1022}, {.port = 0, .count = 2000}));
  const KindStats& stats = result.kinds[0];
  const auto about_200 = [](std::uint64_t n) { return n > 140 && n < 260; };
  CHECK(stats.sent == 2000);
  CHECK(about_200(stats.missing() + stats.duplicated + stats.reordered));
  if (faults.drop != 0) CHECK(about_200(stats.missing()));
  if (faults.duplicate != 0) CHECK(about_200(stats.duplicated));
  if (faults.reorder != 0) {
    CHECK(about_200(stats.reordered));
    CHECK(stats.reorder_extent > 1);
    CHECK(stats.missing() == 0);
  }
  if (faults.corrupt != 0) {
    CHECK(stats.damaged > 100);
    CHECK(stats.reordered == 0);
  }
}

TEST_CASE("Preflight finds the priorities of a PFC switch", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  fabric::SwitchConfig& dut = network.switches[0];
  for (std::size_t dscp = 0; dscp < 64; ++dscp) dut.dscp_to_queue[dscp] = dscp == 26 ? 3 : 0;
  dut.queues[3].lossless = true;
  dut.pause = {.xoff = 256 * test::kKiB, .xon = 128 * test::kKiB, .headroom = 64 * test::kKiB};
  for (auto& link : network.links) link.flow_control = fabric::PauseMode::kPfc;
  VirtualRig rig(network);
  Settings settings;
  settings.roles = {.a = 0, .d = 3};
  Findings findings;
  TestReport report{.name = "preflight"};
  Context ctx(rig, settings, findings, report);
  run_preflight(ctx);
  CHECK(findings.obeyed == roce::PauseMode::kPfc);
  CHECK(findings.sends == roce::PauseMode::kPfc);
  CHECK(findings.priority_of_dscp[26] == 3);
  CHECK(findings.priority_of_dscp[27] == 0);
  CHECK(report.figures[0].text == "PFC");
}

TEST_CASE("Preflight does not guess what a switch sends that obeys no pauses", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  for (auto& link : network.links) link.flow_control = fabric::PauseMode::kOff;
  VirtualRig rig(network);
  const Settings settings{.roles = {.a = 0, .d = 3}};
  Findings findings;
  TestReport report{.name = "preflight"};
  Context ctx(rig, settings, findings, report);
  run_preflight(ctx);
  CHECK(report.status == Status::kMeasured);
  CHECK(report.figures[0].text == "none");
  CHECK(report.figures[1].status == Status::kUnresolvable);
  CHECK(report.figures[1].text.empty());
}

TEST_CASE("A trial that cannot be run is refused", "[switchtest]") {
  VirtualRig rig(test::set_v1());
  Trial trial = one_stream({.to = 3, .length = 1022}, {.port = 0, .count = 1});
  SECTION("port") { trial.kinds[0].to = 4; }
  SECTION("length") { trial.kinds[0].length = 1023; }
  SECTION("too long") { trial.kinds[0].length = 4174; }
  SECTION("kind") { trial.sources[0].kinds = {1}; }
  SECTION("freeze") { trial.freezes.push_back({.port = 3, .from = 5, .until = 5}); }
  CHECK_THROWS_AS(rig.run(trial), std::invalid_argument);
}
