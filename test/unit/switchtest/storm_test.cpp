// SPDX-License-Identifier: BSD-3-Clause
#include "altered_rig.hpp"
#include "base/rng.hpp"
#include "run_test.hpp"
#include "switch_sets.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

using Action = fabric::WatchdogConfig::Action;

fabric::NetworkConfig with_watchdog(Action action, Time detection, Time restoration) {
  fabric::NetworkConfig out = test::set_v4();
  out.switches[0].watchdog = {.detection = detection, .restoration = restoration, .action = action};
  return out;
}

SwitchReport run_storm_on(const fabric::NetworkConfig& network) {
  Settings settings = test::four_ports();
  settings.effort = Effort::kQuick;
  return test::run_test(network, settings, "storm");
}

Figure of_storm(const SwitchReport& report, const char* name) { return test::figure(report, "storm", name); }

double bystander_loss(const SwitchReport& report, const char* stream) {
  return test::figure(report, "storm", "bystander_loss", {{"stream", stream}}).value.value();
}

/// Checks that an interval in milliseconds contains the truth and is not wider than `width`.
void check_ms(const Figure& f, Time truth, double width) {
  const double ms = static_cast<double>(truth) / kMillisecond;
  INFO(f.name << ": " << f.value.value_or(-1) << " [" << f.low.value_or(-1) << ", " << f.high.value_or(-1)
              << "], the truth is " << ms << "; " << f.reason);
  REQUIRE(f.value);
  // Frames and pauses take up to this time, in milliseconds, to reach the switch.
  constexpr double kTransit = 0.02;
  CHECK(*f.low <= ms + kTransit);
  CHECK(*f.high >= ms - kTransit);
  CHECK(*f.high - *f.low <= width + 1e-9);
  CHECK(f.unit == "ms");
}

}  // namespace

TEST_CASE("Switches without a watchdog hold frames back for the whole storm", "[switchtest]") {
  const auto network = GENERATE(test::set_v1(), test::set_v2(), test::set_v3(), test::set_v4(),
                                test::set_v5(), test::set_v6(), test::set_v7());
  const SwitchReport report = run_storm_on(network);
  for (const char* name : {"detect_ms", "action", "restore_ms"})
    CHECK(of_storm(report, name).status == Status::kAbsent);
  CHECK(test::test_report(report, "storm").status == Status::kMeasured);
}

TEST_CASE("A storm reaches bystanders by pauses or by memory", "[switchtest]") {
  const SwitchReport lossless = run_storm_on(test::set_v4());
  CHECK(bystander_loss(lossless, "class") == 0);
  CHECK(bystander_loss(lossless, "port") > 95);
  CHECK(*of_storm(lossless, "pauses_passed_on").value > 100);
  const SwitchReport shared = run_storm_on(test::set_v1());
  CHECK(test::figure(shared, "storm", "bystander_loss", {{"stream", "class"}}).status ==
        Status::kUnresolvable);
  CHECK(bystander_loss(shared, "port") > 95);
  CHECK(of_storm(shared, "pauses_passed_on").value == 0.0);
  CHECK(bystander_loss(run_storm_on(test::set_v2()), "port") == 0);
}

TEST_CASE("More pauses than are recorded do not spoil a storm", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v4();
  network.switches[0].pause.quanta = 64;  // repeated every 1.6 us
  const SwitchReport report = run_storm_on(network);
  CHECK(of_storm(report, "detect_ms").status == Status::kAbsent);
  const Figure& passed = of_storm(report, "pauses_passed_on");
  CHECK(passed.status == Status::kBounded);
  CHECK(*passed.low > 60'000);
  CHECK_FALSE(passed.high);
}

TEST_CASE("A watchdog that drops frames", "[switchtest]") {
  const SwitchReport report =
      run_storm_on(with_watchdog(Action::kDrop, 200 * kMillisecond, 300 * kMillisecond));
  CHECK(of_storm(report, "action").text == "drop");
  check_ms(of_storm(report, "detect_ms"), 200 * kMillisecond, 0.1);
  check_ms(of_storm(report, "restore_ms"), 300 * kMillisecond, 0.1);
  CHECK(bystander_loss(report, "class") == 0);
  // Pauses reach A for the first 200 of 500 ms, until the switch detects the storm. Afterwards, A sends the
  // delayed frames.
  CHECK(bystander_loss(report, "port") == 0);
  CHECK(*of_storm(report, "pauses_passed_on").value > 50);
}

TEST_CASE("A watchdog ends the loss of bystanders in a shared memory", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  network.switches[0].watchdog = {
      .detection = 200 * kMillisecond, .restoration = 300 * kMillisecond, .action = Action::kDrop};
  const SwitchReport report = run_storm_on(network);
  // The storm lasts 500 ms. The traffic to D, at 10 % of 10 Gb/s, fills the memory in 8.4 ms. From then until
  // the watchdog acts at 200 ms, all frames to E are lost: (200 − 8.4) / 500 = 38.3 %.
  CHECK(bystander_loss(report, "port") == Approx(38.3).margin(1));
}

TEST_CASE("A watchdog that forwards frames", "[switchtest]") {
  const SwitchReport report =
      run_storm_on(with_watchdog(Action::kForward, 150 * kMillisecond, 400 * kMillisecond));
  CHECK(of_storm(report, "action").text == "forward");
  check_ms(of_storm(report, "detect_ms"), 150 * kMillisecond, 0.01);
  check_ms(of_storm(report, "restore_ms"), 400 * kMillisecond, 0.3);
}

TEST_CASE("Random watchdogs are found", "[switchtest]") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Rng rng(seed);
    const Time detection = kMillisecond + rng.below(500 * kMillisecond);
    const Time restoration = kMillisecond + rng.below(500 * kMillisecond);
    const Action action = seed % 2 == 0 ? Action::kForward : Action::kDrop;
    fabric::NetworkConfig network = with_watchdog(action, detection, restoration);
    if (seed == 3)
      for (auto& link : network.links) link.flow_control = fabric::PauseMode::kPause;
    INFO("seed " << seed);
    const SwitchReport report = run_storm_on(network);
    CHECK(of_storm(report, "action").text == (action == Action::kDrop ? "drop" : "forward"));
    check_ms(of_storm(report, "detect_ms"), detection, 0.1);
    check_ms(of_storm(report, "restore_ms"), restoration, 0.3);
  }
}

TEST_CASE("A watchdog that does not end its action is bounded", "[switchtest]") {
  const Action action = GENERATE(Action::kDrop, Action::kForward);
  const SwitchReport report = run_storm_on(with_watchdog(action, 100 * kMillisecond, 10 * kSecond));
  const Figure& restore = of_storm(report, "restore_ms");
  CHECK(restore.status == Status::kBounded);
  CHECK(restore.low == 2000.0);
  CHECK_FALSE(restore.high);
  const Figure& detect = of_storm(report, "detect_ms");
  if (action == Action::kForward) return check_ms(detect, 100 * kMillisecond, 0.01);
  CHECK(detect.status == Status::kBounded);
  CHECK(detect.high == 2000.0);
}

TEST_CASE("A slow watchdog is not seen", "[switchtest]") {
  const SwitchReport report = run_storm_on(with_watchdog(Action::kDrop, 3 * kSecond, kSecond));
  CHECK(of_storm(report, "detect_ms").status == Status::kAbsent);
}

TEST_CASE("Storms need pauses and permission", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v4();
  network.links[3].flow_control = fabric::PauseMode::kOff;
  CHECK(test::test_report(run_storm_on(network), "storm").status == Status::kUnresolvable);
  test::AlteredRig rig(test::set_v4());
  rig.as = RigKind::kPorts;
  Settings settings = test::four_ports();
  settings.effort = Effort::kQuick;
  const SwitchReport forbidden = run_tests(rig, settings, {"storm"});
  CHECK(test::test_report(forbidden, "storm").status == Status::kUnresolvable);
  CHECK(test::test_report(forbidden, "storm").reason.find("allow_storm") != std::string::npos);
  CHECK(test::test_report(forbidden, "storm").trials.empty());
  settings.allow_storm = true;
  CHECK(of_storm(run_tests(rig, settings, {"storm"}), "detect_ms").status == Status::kAbsent);
}

TEST_CASE("Void trials make a storm inconclusive", "[switchtest]") {
  test::AlteredRig rig(test::set_v4());
  rig.alter = [](const Trial& trial, TrialResult& result) {
    if (trial.end > kSecond) result.void_reason = "of the test";
  };
  const SwitchReport failed = run_tests(rig, test::four_ports(), {"storm"});
  CHECK(test::test_report(failed, "storm").status == Status::kInconclusive);
}
