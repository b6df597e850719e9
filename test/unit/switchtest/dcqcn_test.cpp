// SPDX-License-Identifier: BSD-3-Clause
#include "altered_rig.hpp"
#include "base/rng.hpp"
#include "run_test.hpp"
#include "switch_sets.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

SwitchReport run_dcqcn_on(const fabric::NetworkConfig& network,
                          const Settings& settings = test::four_ports()) {
  return test::run_test(network, settings, "dcqcn");
}

Figure of_boards(const SwitchReport& report, const char* name, unsigned boards) {
  return test::figure(report, "dcqcn", name, {{"boards", std::to_string(boards)}});
}

Figure forge(const SwitchReport& report, const char* name) {
  return test::figure(report, "dcqcn", name, {{"size", "1026"}});
}

void check_no_forge(const SwitchReport& report) {
  for (const char* name : {"forge_gbps", "forge_interval_us"}) {
    const Figure& figure = test::figure(report, "dcqcn", name);
    CHECK(figure.status == Status::kAbsent);
    CHECK_FALSE(figure.value);
    CHECK_FALSE(figure.reason.empty());
  }
}

/// Returns a random number from `low` to `high`, inclusive.
std::uint64_t draw(Rng& rng, std::uint64_t low, std::uint64_t high) {
  return low + rng.below(high - low + 1);
}

}  // namespace

TEST_CASE("Boards share a lossless switch fairly and without pauses", "[switchtest]") {
  const SwitchReport report = run_dcqcn_on(test::set_v4());
  for (const unsigned boards : {3U, 6U}) {
    CHECK(*of_boards(report, "jain", boards).value >= 0.99);
    CHECK(*of_boards(report, "use", boards).value >= 95);
    CHECK(of_boards(report, "pauses", boards).value == 0);
    const Figure& converged = of_boards(report, "converged_ms", boards);
    CHECK(converged.status == Status::kMeasured);
    CHECK(*converged.value < 100);
  }
  CHECK(test::figure(report, "dcqcn", "lost").value == 0);
  CHECK(test::figure(report, "dcqcn", "unsolicited_cnps").value == 0);
  CHECK(*test::figure(report, "dcqcn", "cnps", {{"load", "incast"}}).value > 1'000);
  const Figure& delay = test::figure(report, "dcqcn", "cnp_delay_ns", {{"load", "incast"}});
  CHECK(*delay.value == Approx(1156.8));  // 98 bytes on each of two wires, and 500 ns for each of two links
  CHECK(*delay.low == Approx(1156.8));
  check_no_forge(report);
  const TestReport& test = test::test_report(report, "dcqcn");
  REQUIRE(test.curves.size() == 7);
  CHECK(test.curves[0].points.size() == 120);
  CHECK(test.curves[3].points.size() == 60);
  CHECK(test.curves[6].name == "forge");
}

TEST_CASE("Boards share other switches, too", "[switchtest][long]") {
  Rng rng(Rng::nth(11, GENERATE(range(1U, 4U))));
  fabric::NetworkConfig network = test::set_v4();
  const std::uint64_t kmin = draw(rng, 20, 60) * test::kKiB;
  test::mark_all_queues(network.switches[0], kmin, kmin * draw(rng, 3, 5));
  const Time delay = draw(rng, 100, 2'000) * kNanosecond;
  for (auto& link : network.links) link.delay = delay;
  const SwitchReport report = run_dcqcn_on(network);
  for (const unsigned boards : {3U, 6U}) {
    CHECK(*of_boards(report, "jain", boards).value >= 0.99);
    CHECK(*of_boards(report, "use", boards).value >= 95);
    CHECK(of_boards(report, "converged_ms", boards).status == Status::kMeasured);
  }
  const Figure& cnp = test::figure(report, "dcqcn", "cnp_delay_ns", {{"load", "idle"}});
  CHECK(*cnp.value == Approx(156.8 + 2 * static_cast<double>(delay) / kNanosecond));
}

TEST_CASE("Boards do not share a switch without marks", "[switchtest][long]") {
  // The large memory of V6 holds everything that all boards send in the first milliseconds.
  const SwitchReport report = run_dcqcn_on(GENERATE(test::set_v1(), test::set_v6()));
  for (const unsigned boards : {3U, 6U}) {
    CHECK(*of_boards(report, "jain", boards).value < 0.9);
    const Figure& converged = of_boards(report, "converged_ms", boards);
    CHECK(converged.status == Status::kBounded);
    CHECK(*converged.low == 300);
    CHECK_FALSE(converged.high);
  }
  CHECK(*test::figure(report, "dcqcn", "lost").value > 100'000);
  for (const char* name : {"cnp_delay_ns", "cnp_lost"})
    CHECK(test::figure(report, "dcqcn", name, {{"load", "incast"}}).status == Status::kAbsent);
  check_no_forge(report);
}

TEST_CASE("A board reacts to CNPs that cross the switch", "[switchtest][long]") {
  const auto [network, delay] =
      GENERATE(std::pair{test::set_v1(), 1156.8}, std::pair{test::set_v5(), 8156.8},
               std::pair{test::set_v7(), 1109.76});  // 98 bytes at 10 and at 25 Gb/s
  const SwitchReport report = run_dcqcn_on(network);
  const test::Labels idle{{"load", "idle"}};
  CHECK(test::figure(report, "dcqcn", "cnps", idle).value == 20);
  CHECK(*test::figure(report, "dcqcn", "cnp_delay_ns", idle).value == Approx(delay));
  CHECK(test::figure(report, "dcqcn", "cnp_lost", idle).value == 0);
  CHECK(*test::figure(report, "dcqcn", "reaction_rate").value < 10);
  const Figure& reaction = test::figure(report, "dcqcn", "reaction_us");
  CHECK(*reaction.value > delay / 1000);
  CHECK(*reaction.value < 300);
}

TEST_CASE("The load at which a switch forges CNPs is found", "[switchtest]") {
  const SwitchReport report = run_dcqcn_on(test::set_v7());
  const Figure& load = forge(report, "forge_gbps");
  CHECK(*load.value == Approx(8).epsilon(0.01));
  // At the lowest load with CNPs, some windows of 100 µs contain 96 frames, which have more than 100,000
  // bytes.
  CHECK(*load.low <= 95 * 1046 * 8e-5);
  CHECK(*load.high >= 95 * 1046 * 8e-5);
  CHECK(*load.high - *load.low < 0.011);
  const Figure& interval = forge(report, "forge_interval_us");
  CHECK(*interval.low >= 50);
  CHECK(*interval.value < 51);
  CHECK(*test::figure(report, "dcqcn", "unsolicited_cnps").value > 1'000);
}

TEST_CASE("Other forges are found, too", "[switchtest][long]") {
  Rng rng(Rng::nth(7, GENERATE(range(1U, 4U))));
  fabric::NetworkConfig network = test::set_v7();
  const std::uint64_t rate = test::kTenGigabit * draw(rng, 1, 4);
  for (auto& link : network.links) link.rate = rate;
  fabric::ThresholdForge& config = network.switches[0].forge;
  config.threshold = rate * draw(rng, 55, 95) / 100;
  config.window = draw(rng, 50, 200) * kMicrosecond;
  config.interval = draw(rng, 20, 100) * kMicrosecond;
  const SwitchReport report = run_dcqcn_on(network);
  const double frames =
      static_cast<double>(config.threshold * (config.window / kMicrosecond) / 1'000'000 / 1046);
  const double starts = frames * 1046 * 8e-9 * (1e12 / static_cast<double>(config.window));
  const Figure& load = forge(report, "forge_gbps");
  CHECK(*load.low <= starts * (1 + 1e-4));
  CHECK(*load.high >= starts * (1 - 1e-4));
  CHECK(*load.high - *load.low <= 8.1e-9 * static_cast<double>(rate) / 1000);
  const double interval = static_cast<double>(config.interval) / kMicrosecond;
  CHECK(*forge(report, "forge_interval_us").low >= interval);
  CHECK(*forge(report, "forge_interval_us").value < interval + 1);
}

TEST_CASE("A forge of any load is bounded", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v7();
  network.switches[0].forge.threshold = 100'000;
  network.switches[0].forge.window = kMillisecond;
  const Figure load = forge(run_dcqcn_on(network), "forge_gbps");
  CHECK(load.status == Status::kBounded);
  CHECK_FALSE(load.low);
  CHECK(*load.high == Approx(0.01));
}

TEST_CASE("Lost CNPs are counted", "[switchtest][long]") {
  fabric::NetworkConfig network = test::set_v4();
  network.links[3].a_to_b.drop = (std::uint64_t{1} << 32) * 3 / 10;
  const Figure lost = test::figure(run_dcqcn_on(network), "dcqcn", "cnp_lost", {{"load", "incast"}});
  CHECK(*lost.low < 30);
  CHECK(*lost.high > 30);
  CHECK(*lost.high - *lost.low < 2);
}

TEST_CASE("A board does not react if all CNPs are lost", "[switchtest][long]") {
  fabric::NetworkConfig network = test::set_v1();
  network.links[3].a_to_b.drop = std::uint64_t{1} << 32;
  const SwitchReport report = run_dcqcn_on(network);
  const test::Labels idle{{"load", "idle"}};
  CHECK(test::figure(report, "dcqcn", "cnp_lost", idle).value == 100);
  CHECK(test::figure(report, "dcqcn", "cnp_delay_ns", idle).status == Status::kAbsent);
  CHECK(test::figure(report, "dcqcn", "reaction_us").status == Status::kAbsent);
  CHECK(*test::figure(report, "dcqcn", "reaction_rate").value == Approx(100).margin(1));
}

TEST_CASE("Boards that cannot compete are unresolvable", "[switchtest]") {
  Settings settings = test::four_ports();
  fabric::NetworkConfig network = test::set_v7();
  if (GENERATE(false, true)) {
    settings.roles.b = settings.roles.c = settings.roles.e = std::nullopt;
  } else {
    network.links[1].rate = test::kTenGigabit / 3;
  }
  const SwitchReport report = run_dcqcn_on(network, settings);
  for (const char* name : {"converged_ms", "jain", "use", "pauses", "lost"}) {
    const Figure& figure = test::figure(report, "dcqcn", name);
    CHECK(figure.status == Status::kUnresolvable);
    CHECK_FALSE(figure.reason.empty());
  }
  CHECK(*forge(report, "forge_gbps").value == Approx(8).epsilon(0.01));
}

TEST_CASE("A rig that fails makes DCQCN inconclusive, and an unknown delay of the rig hides that of CNPs",
          "[switchtest]") {
  test::AlteredRig rig(test::set_v4());
  Settings settings = test::four_ports();
  settings.effort = Effort::kQuick;
  rig.own.reset();
  const SwitchReport without = run_tests(rig, settings, {"dcqcn"});
  const Figure& delay = test::figure(without, "dcqcn", "cnp_delay_ns", {{"load", "incast"}});
  CHECK(delay.status == Status::kUnresolvable);
  CHECK_FALSE(delay.value);
  rig.alter = [](const Trial& trial, TrialResult& result) {
    if (trial.answers) result.void_reason = "a worker was away";
  };
  const SwitchReport failed = run_tests(rig, settings, {"dcqcn"});
  const TestReport& test = test::test_report(failed, "dcqcn");
  CHECK(test.status == Status::kInconclusive);
  CHECK(test.figures.empty());
}

TEST_CASE("In real time, boards are measured several times", "[switchtest]") {
  test::AlteredRig rig(test::set_v4());
  rig.as = RigKind::kRings;
  Settings settings = test::four_ports();
  settings.effort = Effort::kQuick;
  const SwitchReport report = run_tests(rig, settings, {"dcqcn"});
  const Figure& fair = of_boards(report, "jain", 3);
  CHECK(fair.trials == 3);
  CHECK(*fair.low <= *fair.value);
  CHECK(*fair.value <= *fair.high);
  CHECK(*fair.low >= 0.99);
}
