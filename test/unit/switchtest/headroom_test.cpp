// SPDX-License-Identifier: BSD-3-Clause
#include "altered_rig.hpp"
#include "closed_forms.hpp"
#include "random_switch.hpp"
#include "run_test.hpp"
#include "score.hpp"
#include "switch_sets.hpp"
#include "switchtest/runner.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

constexpr double kLongFrame = 4170;

SwitchReport headroom_of(const fabric::NetworkConfig& network) {
  return test::run_test(network, test::four_ports(), "headroom");
}

/// Measures a network, and compares the figures with the closed forms.
test::Score headroom_score(const fabric::NetworkConfig& network) {
  const test::Score out = test::score(headroom_of(network), test::truths_of(network, test::four_ports()));
  for (const std::string& complaint : out.complaints) UNSCOPED_INFO(complaint);
  return out;
}

Figure headroom_figure(const SwitchReport& report, const char* name) {
  return test::figure(report, "headroom", name);
}

}  // namespace

TEST_CASE("The headroom of a lossless class tolerates a longer cable", "[switchtest]") {
  const SwitchReport report = headroom_of(test::set_v4());
  const Figure& skid = headroom_figure(report, "skid_bytes");
  CHECK(*skid.low == 949 * kLongFrame);
  CHECK(*skid.high == 950 * kLongFrame - 1);
  const Figure& guaranteed = headroom_figure(report, "guaranteed_bytes");
  CHECK(*guaranteed.low == 29'190);
  CHECK(*guaranteed.high == 33'359);
  const Figure& overshoot = headroom_figure(report, "overshoot_bytes");
  CHECK(*overshoot.low == kLongFrame);
  CHECK(*overshoot.high == kLongFrame);
  const Figure& delay = headroom_figure(report, "tolerated_ns");
  CHECK(*delay.low == 19'000);  // 6 frames of 3355.2 ns, minus 1067.2 ns, rounded down to 100 ns
  CHECK(*delay.high == 19'100);
  CHECK(*headroom_figure(report, "extra_cable_m").low == 1900);
  CHECK(headroom_figure(report, "sharing").text == "per port");
  const auto& curves = test::test_report(report, "headroom").curves;
  REQUIRE(curves.size() == 1);
  for (const Curve::Point& p : curves[0].points) CHECK((p.y == 0) == (p.x <= 19));  // x in microseconds
  REQUIRE(report.findings.headroom);
  CHECK(report.findings.headroom->guaranteed == 29'190);
  CHECK(report.findings.headroom->dscp == 26);
}

TEST_CASE("Too little headroom for long links loses frames even without a delay", "[switchtest]") {
  const SwitchReport report = headroom_of(test::set_v5());
  CHECK(*headroom_figure(report, "guaranteed_bytes").low == kLongFrame);
  CHECK(*headroom_figure(report, "overshoot_bytes").value == 3 * kLongFrame);
  for (const char* name : {"tolerated_ns", "extra_cable_m"}) {
    const Figure& figure = headroom_figure(report, name);
    CHECK(figure.status == Status::kBounded);
    CHECK_FALSE(figure.low);
    CHECK(*figure.high == 0);
    CHECK(figure.reason == "3 of 4 frames are lost although A obeys pauses at once");
  }
}

TEST_CASE("A switch that pauses no sender has no headroom", "[switchtest]") {
  for (const auto& network : {test::set_v1(), test::set_v2(), test::set_v6()}) {
    const SwitchReport report = headroom_of(network);
    for (const char* name : {"skid_bytes", "overshoot_bytes", "guaranteed_bytes", "tolerated_ns"})
      CHECK(headroom_figure(report, name).status == Status::kAbsent);
    CHECK_FALSE(report.findings.headroom);
  }
}

TEST_CASE("Headroom, rates and delays decide how much cable is tolerated", "[switchtest]") {
  const std::uint64_t headroom = GENERATE(0, 4'096, 4'170, 8'339, 8'340, 40'000, 200'000);
  const std::uint64_t gigabits = GENERATE(10, 25, 100);
  fabric::NetworkConfig network = test::set_v4();
  network.switches[0].pause.headroom = headroom;
  network.switches[0].times.pipeline = 300 * kNanosecond;
  network.switches[0].times.pause_generation = 900 * kNanosecond;
  for (auto& link : network.links) link.rate = gigabits * test::kTenGigabit / 10;
  network.links[0].delay = 10 * kNanosecond * (1 + headroom % 1'000);
  CAPTURE(headroom, gigabits);
  const test::Score score = headroom_score(network);
  CHECK(score.covered == 5);
  CHECK(score.values == 5);
}

TEST_CASE("With the headroom that this cable needs, a link loses nothing", "[switchtest]") {
  const Time delay = GENERATE(10, 400, 1'600, 3'000, 9'000) * kNanosecond;
  fabric::NetworkConfig network = test::set_v5();
  for (auto& link : network.links) link.delay = delay;
  const auto needed =
      static_cast<std::uint64_t>(*headroom_figure(headroom_of(network), "needed_bytes").value);
  network.switches[0].pause.headroom = needed - 1;
  CHECK(headroom_figure(headroom_of(network), "tolerated_ns").status == Status::kBounded);
  network.switches[0].pause.headroom = needed;
  const SwitchReport report = headroom_of(network);
  const Figure& tolerated = headroom_figure(report, "tolerated_ns");
  CHECK(tolerated.status == Status::kMeasured);
  CHECK(*tolerated.low >= 0);
}

TEST_CASE("Shorter frames use headroom up better", "[switchtest]") {
  const std::uint32_t length = GENERATE(2'122, 1'514, 510);
  test::AlteredRig rig(test::set_v4());
  rig.other_ports = rig.ports();
  for (RigPort& port : *rig.other_ports) port.largest_frame = length;
  const SwitchReport report = run_tests(rig, test::four_ports(), {"headroom"});
  const double frames = 32 * 1024 / length, frame_ns = (length + 24) * 0.8;
  CHECK(*headroom_figure(report, "guaranteed_bytes").low == frames * length);
  CHECK(*headroom_figure(report, "overshoot_bytes").value == (length > 1'310 ? 1 : 3) * length);
  const double tolerated = (frames - 1) * frame_ns - 1'067.2;
  CHECK(*headroom_figure(report, "tolerated_ns").low <= tolerated);
  CHECK(*headroom_figure(report, "tolerated_ns").high > tolerated);
}

TEST_CASE("Headroom with 802.3x pauses and a dynamic threshold", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v4();
  for (auto& link : network.links) link.flow_control = fabric::PauseMode::kPause;
  fabric::PauseThresholds& pause = network.switches[0].pause;
  pause.xoff = 0;
  pause.xoff_alpha = 64;
  pause.xon = fabric::PauseThresholds::kNoXon;
  pause.xon_offset = 16 * 1024;
  CHECK(headroom_score(network).covered == 5);
}

TEST_CASE("Limits of a port or a queue hide how much memory is free, but not the headroom", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v4();
  network.switches[0].port_limit = 512 * test::kKiB;
  CHECK(headroom_score(network).covered == 5);
  network.switches[0].port_limit = 0;
  network.switches[0].dynamic_alpha = 64;
  CHECK(headroom_score(network).covered == 5);
}

TEST_CASE("Cells, a guaranteed minimum and a MAC that takes frames do not count as headroom",
          "[switchtest]") {
  fabric::NetworkConfig network = test::set_v4();
  network.switches[0].memory = {.cell = 256, .cell_overhead = 8, .mac_leak = 20'000};
  network.switches[0].queues[3].minimum = 64 * test::kKiB;
  const SwitchReport report = headroom_of(network);
  // A frame occupies 17 cells of 256 bytes.
  CHECK(*headroom_figure(report, "guaranteed_bytes").low == 7 * kLongFrame);
  CHECK(*headroom_figure(report, "tolerated_ns").low == 19'000);
  network.switches[0].pause.headroom = 7 * 17 * 256 - 1;
  CHECK(*headroom_figure(headroom_of(network), "tolerated_ns").low == 15'700);
}

TEST_CASE("Headroom that ports share is guaranteed only as far as others leave it", "[switchtest]") {
  const std::uint64_t pool = GENERATE(32, 40, 48, 64, 80) * test::kKiB;
  fabric::NetworkConfig network = test::set_v4();
  network.switches[0].pause.headroom_pool = pool;
  const SwitchReport report = headroom_of(network);
  // C takes 7 frames of the pool; A's headroom also holds 7 frames.
  const std::uint64_t frames = std::min<std::uint64_t>(7, pool / 4'170 - 7);
  CAPTURE(pool, frames);
  CHECK(*headroom_figure(report, "guaranteed_bytes").low == static_cast<double>(frames) * kLongFrame);
  const Figure& sharing = headroom_figure(report, "sharing");
  const Figure& tolerated = headroom_figure(report, "tolerated_ns");
  if (frames == 0) {
    CHECK(sharing.status == Status::kUnresolvable);
    CHECK(tolerated.status == Status::kBounded);
    CHECK(*tolerated.high == 0);
    return;
  }
  CHECK(sharing.text == (frames < 7 ? "common pool" : "per port"));
  CHECK(report.findings.headroom->shared == (frames < 7));
  CHECK(*tolerated.value == std::floor((static_cast<double>(frames - 1) * 3'355.2 - 1'067.2) / 100) * 100);
}

TEST_CASE("Headroom for more than a millisecond is only bounded", "[switchtest]") {
  const std::uint16_t quanta = GENERATE(200, 65'535);
  fabric::NetworkConfig network = test::set_v4();
  network.switches[0].pause.headroom = 2 * test::kMiB;
  network.switches[0].pause.quanta = quanta;
  const SwitchReport report = headroom_of(network);
  const Figure& tolerated = headroom_figure(report, "tolerated_ns");
  CHECK(tolerated.status == Status::kBounded);
  CHECK(*tolerated.low == 1e6);
  CHECK_FALSE(tolerated.high);
}

TEST_CASE("Headroom of random switches", "[switchtest]") {
  const Settings settings = test::four_ports();
  test::Score sum;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const fabric::NetworkConfig network = test::random_switch(seed);
    const SwitchReport report = test::run_test(network, settings, "headroom");
    const test::Score one = test::score(report, test::truths_of(network, settings));
    for (const std::string& complaint : one.complaints) UNSCOPED_INFO("seed " << seed << ": " << complaint);
    sum.add(one);
  }
  INFO(sum.values << " values, " << sum.words << " words, " << sum.silent << " silent");
  CHECK(sum.share() == 1);
  CHECK(sum.wrong_class == 0);
  CHECK(sum.values >= 50);
}

TEST_CASE("Headroom from a rig that is busy has wider intervals", "[switchtest]") {
  const Time time_error = GENERATE(0, 300, 2'000) * kNanosecond;
  const Time late = 700 * kNanosecond;
  test::AlteredRig rig(test::set_v4());
  rig.as = RigKind::kRings;
  rig.alter = [&](const Trial&, TrialResult& result) {
    result.time_error = time_error;
    result.late_max = late;
  };
  Settings settings = test::four_ports();
  settings.effort = Effort::kQuick;
  const SwitchReport report = run_tests(rig, settings, {"headroom"});
  CHECK(*headroom_figure(report, "guaranteed_bytes").low == 29'190);
  const Figure& overshoot = headroom_figure(report, "overshoot_bytes");
  // The pause frame arrives 1067.2 ns after the frame that caused it. A frame takes 3355.2 ns.
  CHECK(*overshoot.low == kLongFrame);
  CHECK(*overshoot.high == kLongFrame);
  const Figure& tolerated = headroom_figure(report, "tolerated_ns");
  const double error = static_cast<double>(time_error + late) / kNanosecond, truth = 19'064;
  CHECK(*tolerated.low <= truth - error);
  CHECK(*tolerated.low >= truth - 2 * error - 100);
  CHECK(*tolerated.high >= truth + error);
  CHECK(*tolerated.high <= truth + 2 * error + 100);
}

TEST_CASE("The overshoot does not depend on how fast a rig obeys", "[switchtest]") {
  test::AlteredRig rig(test::set_v5());
  rig.as = RigKind::kRings;
  rig.alter = [&](const Trial&, TrialResult& result) { result.time_error = 4 * kMicrosecond; };
  Settings settings = test::four_ports();
  settings.effort = Effort::kQuick;
  rig.own = 2'500 * kNanosecond;
  // The time is 8067.2 ns minus the delay of the rig, with an error of 4 us, that is, from 1567.2 to 9567.2
  // ns.
  SwitchReport report = run_tests(rig, settings, {"headroom"});
  CHECK(*headroom_figure(report, "overshoot_bytes").low == kLongFrame);
  CHECK(*headroom_figure(report, "overshoot_bytes").high == 3 * kLongFrame);
  CHECK(*headroom_figure(report, "tolerated_ns").high == 4'000);
  CHECK(*headroom_figure(report, "overshoot_bytes").value == 2 * kLongFrame);
  rig.own = std::nullopt;
  report = run_tests(rig, settings, {"headroom"});
  CHECK(*headroom_figure(report, "overshoot_bytes").low == kLongFrame);
  CHECK(*headroom_figure(report, "overshoot_bytes").high == 4 * kLongFrame);
}

TEST_CASE("The most exact trials tell the overshoot and the step of the search", "[switchtest]") {
  test::AlteredRig rig(test::set_v5());
  rig.as = RigKind::kRings;
  rig.alter = [n = 0](const Trial&, TrialResult& result) mutable {
    result.time_error = n++ % 2 == 0 ? 300 * kMicrosecond : kMicrosecond;
  };
  Settings settings = test::four_ports();
  settings.effort = Effort::kQuick;
  const SwitchReport report = run_tests(rig, settings, {"headroom"});
  CHECK(*headroom_figure(report, "overshoot_bytes").low == 3 * kLongFrame);
  CHECK(*headroom_figure(report, "overshoot_bytes").high == 3 * kLongFrame);
  CHECK(*headroom_figure(report, "tolerated_ns").high == 1'000);
}

TEST_CASE("Frames that leave after the delay widen the interval of a trial that failed", "[switchtest]") {
  test::AlteredRig rig(test::set_v4());
  rig.as = RigKind::kRings;
  rig.alter = [&](const Trial&, TrialResult& result) {
    if (result.kinds.size() == 2) result.kinds[1].last_departure += 20 * kMicrosecond;
  };
  Settings settings = test::four_ports();
  settings.effort = Effort::kQuick;
  const Figure& tolerated = headroom_figure(run_tests(rig, settings, {"headroom"}), "tolerated_ns");
  CHECK(*tolerated.low == 19'000);
  CHECK(*tolerated.high > 19'100 + 15'000);
  CHECK(*tolerated.high <= 19'100 + 20'000);
}

TEST_CASE("Memory that C cannot take makes the headroom a bound", "[switchtest]") {
  // Make it seem that A is not paused by its first frame that arrives after the memory has become full.
  test::AlteredRig rig(test::set_v4());
  rig.alter = [](const Trial& trial, TrialResult& result) {
    if (trial.sources.size() == 2 && trial.sources[1].count == 1) result.pauses.clear();
  };
  SwitchReport report = run_tests(rig, test::four_ports(), {"headroom"});
  for (const char* name : {"guaranteed_bytes", "tolerated_ns", "extra_cable_m"}) {
    const Figure& figure = headroom_figure(report, name);
    CHECK(figure.status == Status::kBounded);
    CHECK_FALSE(figure.low);
  }
  CHECK(*headroom_figure(report, "guaranteed_bytes").high == 33'359);
  CHECK(*headroom_figure(report, "tolerated_ns").high == 19'100);
  CHECK(headroom_figure(report, "sharing").status == Status::kUnresolvable);
  CHECK_FALSE(report.findings.headroom);
}

TEST_CASE("A threshold of less than a frame does not tell where a frame is stored", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v4();
  network.switches[0].pause.xoff = 4'000;
  network.switches[0].pause.xon = 2'000;
  const SwitchReport report = headroom_of(network);
  CHECK(headroom_figure(report, "guaranteed_bytes").status == Status::kBounded);
  CHECK(*headroom_figure(report, "guaranteed_bytes").high == 33'359);
  CHECK(headroom_figure(report, "sharing").status == Status::kUnresolvable);
  CHECK(headroom_score(network).covered == 5);
}

TEST_CASE("Headroom behind a memory that cannot be filled is unresolvable", "[switchtest]") {
  test::AlteredRig rig(test::set_v4());
  rig.alter = [](const Trial&, TrialResult& result) {
    for (KindStats& kind : result.kinds) kind.arrived = kind.sent;
  };
  const SwitchReport report = run_tests(rig, test::four_ports(), {"headroom"});
  const Figure& skid = headroom_figure(report, "skid_bytes");
  CHECK(skid.status == Status::kBounded);
  CHECK(*skid.low > 10e6);
  CHECK_FALSE(skid.high);
  CHECK(*headroom_figure(report, "overshoot_bytes").value == kLongFrame);
  for (const char* name : {"guaranteed_bytes", "sharing", "tolerated_ns", "extra_cable_m"})
    CHECK(headroom_figure(report, name).status == Status::kUnresolvable);
}

TEST_CASE("Pauses of an unknown priority do not tell how long A may take to obey", "[switchtest]") {
  // D sends 802.3x pauses, so the priority of the frames is unknown; the switch sends PFC.
  fabric::NetworkConfig network = test::set_v4();
  network.links[3].flow_control = fabric::PauseMode::kPause;
  for (const unsigned queue : {0U, 5U}) network.switches[0].queues[queue].lossless = true;
  network.switches[0].dscp_to_queue[26] = 5;
  const SwitchReport report = headroom_of(network);
  CHECK(*headroom_figure(report, "guaranteed_bytes").low == 29'190);
  CHECK(headroom_figure(report, "tolerated_ns").status == Status::kUnresolvable);
}

TEST_CASE("Void trials make the headroom inconclusive", "[switchtest]") {
  test::AlteredRig rig(test::set_v4());
  rig.alter = [](const Trial& trial, TrialResult& result) {
    if (trial.sources.size() == 2) result.void_reason = "the receiver missed frames";
  };
  const SwitchReport report = run_tests(rig, test::four_ports(), {"headroom"});
  CHECK(test::test_report(report, "headroom").status == Status::kInconclusive);
  CHECK_FALSE(report.findings.headroom);
}

TEST_CASE("The test of headroom needs three ports and pauses that the switch obeys", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v4();
  network.stations.resize(2);
  network.links = {network.links[0], network.links[3]};
  network.links[1].a.index = 1;
  const SwitchReport two = test::run_test(network, Settings{}, "headroom");
  CHECK(test::test_report(two, "headroom").status == Status::kUnresolvable);
  network = test::set_v4();
  network.links[3].flow_control = fabric::PauseMode::kOff;
  CHECK(test::test_report(headroom_of(network), "headroom").status == Status::kUnresolvable);
}
