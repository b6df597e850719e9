// SPDX-License-Identifier: BSD-3-Clause
#include "altered_rig.hpp"
#include "run_test.hpp"
#include "switch_sets.hpp"
#include "switchtest/virtual_rig.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

constexpr Time kSoakHour = 3600 * kSecond;
constexpr std::uint64_t kCertain = std::uint64_t{1} << 32;

Settings soak_settings(Time soak) {
  Settings out = test::four_ports();
  out.effort = Effort::kQuick;
  out.soak = soak;
  return out;
}

double value(const SwitchReport& report, const char* name) {
  return *test::figure(report, "soak", name).value;
}

std::size_t listed(const SwitchReport& report) {
  std::size_t out = 0;
  for (const Curve& curve : test::test_report(report, "soak").curves)
    if (curve.name == "missing") out += curve.points.size();
  return out;
}

}  // namespace

TEST_CASE("No frame is missing in a soak test of a good switch", "[switchtest]") {
  const auto network = GENERATE(test::set_v1(), test::set_v2(), test::set_v3(), test::set_v4(),
                                test::set_v5(), test::set_v6(), test::set_v7());
  const SwitchReport report = test::run_test(network, soak_settings(10 * kSecond), "soak");
  CHECK(value(report, "missing") == 0);
  CHECK(value(report, "frames") > 50'000);
  CHECK(*test::figure(report, "soak", "loss").high < 1e-4);
  CHECK(value(report, "duplicated") + value(report, "reordered") + value(report, "damaged") +
            value(report, "misdelivered") ==
        0);
  CHECK(listed(report) == 0);
  CHECK(value(report, "p99_variation") > 0);
  CHECK(value(report, "p99_variation") < 100);
  const Figure& drift = test::figure(report, "soak", "p99_drift");
  CHECK(*drift.low <= 0);
  CHECK(*drift.high >= 0);
}

TEST_CASE("A day in virtual time has a sample each minute", "[switchtest][long]") {
  Settings settings = soak_settings(24 * kSoakHour);
  settings.effort = Effort::kStandard;
  settings.sizes = {4174};  // a few long frames take less time to simulate
  VirtualRig rig(test::set_v1());
  const SwitchReport report = run_tests(rig, settings, {"soak"});
  const TestReport& soak = test::test_report(report, "soak");
  CHECK(soak.took >= 24 * kSoakHour);
  CHECK(soak.trials.size() == 1'440);
  for (const TrialRecord& record : soak.trials) REQUIRE(record.kinds.size() == 1);
  CHECK(value(report, "missing") == 0);
  CHECK(value(report, "duty") < 1);
  CHECK_FALSE(test::figure(report, "soak", "duty").reason.empty());
  const auto p99 = std::find_if(soak.curves.begin(), soak.curves.end(),
                                [](const Curve& c) { return c.name == "soak" && c.label == "p99"; });
  REQUIRE(p99 != soak.curves.end());
  CHECK(p99->points.size() == 1'440);
  CHECK(p99->points.back().x == Approx(24).margin(0.1));
  // The mesh loads each port to 80 %. A frame, which takes 3.36 us, often has to wait, but rarely for long.
  CHECK(test::figure(report, "soak", "p99_variation").status == Status::kUnresolvable);
  CHECK(value(report, "p99_ns") > 10'000);
  CHECK(value(report, "p99_ns") < 80'000);
}

TEST_CASE("Frames that are missing in a soak test are counted and listed", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  network.links[1].a_to_b.drop = kCertain / 500;
  const SwitchReport report = test::run_test(network, soak_settings(10 * kSecond), "soak");
  const double missing = value(report, "missing"), frames = value(report, "frames");
  // One of the four ports loses one frame in 500, so one in 2000 of all frames is missing.
  CHECK(missing > frames / 2000 * 0.7);
  CHECK(missing < frames / 2000 * 1.3);
  CHECK(static_cast<double>(listed(report)) == missing);
  const Figure& loss = test::figure(report, "soak", "loss");
  CHECK(*loss.low < 1.0 / 2000);
  CHECK(*loss.high > 1.0 / 2000);
  for (const Curve& curve : test::test_report(report, "soak").curves) {
    if (curve.name != "missing") continue;
    CHECK(curve.label.rfind("p1 to ", 0) == 0);
    for (const Curve::Point& p : curve.points) CHECK(p.x <= 10.1);
  }
}

TEST_CASE("Other faults are not mixed up with missing frames", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  fabric::LinkFaults& faults = network.links[0].a_to_b;
  const char* name = "";
  SECTION("duplicated") {
    faults.duplicate = kCertain / 500;
    name = "duplicated";
  }
  SECTION("reordered") {
    faults.reorder = kCertain / 500;
    faults.reorder_by = 100 * kMicrosecond;
    name = "reordered";
  }
  const SwitchReport report = test::run_test(network, soak_settings(10 * kSecond), "soak");
  CHECK(value(report, "missing") == 0);
  CHECK(listed(report) == 0);
  CHECK(value(report, name) > 10);
}

TEST_CASE("Damaged frames are missing", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  network.links[0].a_to_b.corrupt = kCertain / 500;
  const SwitchReport report = test::run_test(network, soak_settings(10 * kSecond), "soak");
  CHECK(value(report, "damaged") > 10);
  CHECK(value(report, "missing") >= value(report, "damaged"));
  CHECK(static_cast<double>(listed(report)) == value(report, "missing"));
}

TEST_CASE("A switch with too little memory loses frames of a mesh", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  network.switches[0].buffer = 16 * test::kKiB;
  const SwitchReport report = test::run_test(network, soak_settings(10 * kSecond), "soak");
  CHECK(value(report, "missing") > 100);
  CHECK(value(report, "missing") < value(report, "frames") / 2);
}

TEST_CASE("Samples in which the rig stood still count if no frame is missing", "[switchtest]") {
  const bool losses = GENERATE(false, true);
  test::AlteredRig rig(test::set_v1());
  rig.as = RigKind::kRings;
  int samples = 0;
  rig.alter = [&](const Trial& trial, TrialResult& result) {
    if (!trial.list_missing || ++samples > 2) return;
    CHECK(trial.counts_only);
    result.disturbance = "a loop was not run";
    if (losses) --result.kinds[0].arrived;
  };
  Settings settings = soak_settings(kSecond);
  settings.sizes = {4174};
  const SwitchReport report = run_tests(rig, settings, {"soak"});
  const Figure& missing = test::figure(report, "soak", "missing");
  CHECK(missing.value == 0.0);
  CHECK(missing.status == (losses ? Status::kBounded : Status::kMeasured));
  CHECK(missing.high.has_value() != losses);
  if (losses) CHECK(missing.reason == "2 frames are missing in samples in which a loop was not run");
  CHECK(value(report, "disturbed") == (losses ? 0.0 : 100.0 * 2 / samples));
  CHECK(missing.void_trials == (losses ? 2 : 0));
  CHECK(value(report, "p99_ns") > 0);
}

TEST_CASE("An interrupted soak test reports what it has seen", "[switchtest]") {
  Settings settings = soak_settings(10 * kSecond);
  VirtualRig* running = nullptr;
  VirtualRig rig(test::set_v1(), [&running] { return running != nullptr && running->now() > 5 * kSecond; });
  running = &rig;
  const SwitchReport report = run_tests(rig, settings, {"soak"});
  CHECK(report.interrupted);
  const TestReport& soak = test::test_report(report, "soak");
  CHECK(soak.reason == "the run was interrupted");
  CHECK(value(report, "frames") > 10'000);
  CHECK(soak.trials.size() == 3);
}

TEST_CASE("Two ports are enough for a soak test", "[switchtest]") {
  Settings settings = soak_settings(kSecond);
  settings.roles = {.a = 0, .d = 3};
  settings.plain_udp = true;
  const SwitchReport report = test::run_test(test::set_v1(), settings, "soak");
  CHECK(value(report, "missing") == 0);
  CHECK(value(report, "frames") > 10'000);
}
