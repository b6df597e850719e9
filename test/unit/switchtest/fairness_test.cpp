// SPDX-License-Identifier: BSD-3-Clause
#include "altered_rig.hpp"
#include "base/rng.hpp"
#include "run_test.hpp"
#include "switch_sets.hpp"
#include "switchtest/share_estimates.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

Figure of_shares(const SwitchReport& report, const char* name, const char* between, const char* pauses) {
  return test::figure(report, "fairness", name, {{"between", between}, {"pauses", pauses}});
}

void check_fair(const SwitchReport& report, const char* between, const char* pauses) {
  const Figure& index = of_shares(report, "jain", between, pauses);
  INFO("between " << between << ", pauses " << pauses);
  REQUIRE(index.value);
  CHECK(*index.value >= 0.999);
  CHECK(*index.low <= *index.value);
  CHECK(*index.high == Approx(1).margin(0.001));
  const Figure& ratio = of_shares(report, "max_min", between, pauses);
  CHECK(*ratio.low < 1.05);
  CHECK(*ratio.low >= 1);
}

Settings quick() {
  Settings out = test::four_ports();
  out.effort = Effort::kQuick;
  return out;
}

}  // namespace

TEST_CASE("A lossless switch shares a port evenly", "[switchtest]") {
  const SwitchReport report = test::run_test(test::set_v4(), test::four_ports(), "fairness");
  for (const char* between : {"ports", "flows"}) {
    check_fair(report, between, "obeyed");
    check_fair(report, between, "ignored");
  }
  // The queues share the memory. Each therefore gets the same share of the port as of the memory, although
  // the queue of DSCP 48 has strict priority.
  CHECK(*of_shares(report, "jain", "queues", "ignored").value >= 0.99);
  const Figure& lockout = test::figure(report, "fairness", "lockout");
  CHECK(*lockout.value > 0.9);
}

TEST_CASE("A switch that sends no pauses shares a port evenly by drops", "[switchtest]") {
  const SwitchReport report = test::run_test(test::set_v1(), quick(), "fairness");
  check_fair(report, "ports", "ignored");
  check_fair(report, "flows", "ignored");
  CHECK(of_shares(report, "jain", "ports", "obeyed").status == Status::kAbsent);
  CHECK(test::figure(report, "fairness", "jain", {{"between", "queues"}}).status == Status::kAbsent);
  // One of three synchronous senders with constant gaps gets the whole rate of the port.
  CHECK(*test::figure(report, "fairness", "lockout").value > 0.99);
}

TEST_CASE("Strict priorities starve other queues unless these fill the memory", "[switchtest]") {
  const SwitchReport shared = test::run_test(test::set_v6(), quick(), "fairness");
  CHECK(*of_shares(shared, "jain", "queues", "ignored").value >= 0.99);
  fabric::NetworkConfig network = test::set_v6();
  network.switches[0].dynamic_alpha = 256;
  const SwitchReport report = test::run_test(network, quick(), "fairness");
  const Figure& index = of_shares(report, "jain", "queues", "ignored");
  // Each of six queues is offered 45 % of the port. Two strict queues get their 45 %; the other four queues
  // share the remaining 10 % by weight.
  CHECK(*index.value == Approx(1 / (6 * (2 * 0.45 * 0.45 + 0.1 * 0.1 * (1 + 1 + 4 + 16) / 64))).margin(0.02));
  CHECK(*of_shares(report, "max_min", "queues", "ignored").value > 10);
}

TEST_CASE("Random switches share a port evenly between senders", "[switchtest]") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Rng rng(seed);
    fabric::NetworkConfig network = test::set_v5();
    fabric::SwitchConfig& dut = network.switches[0];
    dut.buffer = 400'000 + rng.below(2'000'000);
    dut.pause.xoff = 40'000 + rng.below(60'000);
    dut.pause.xon = dut.pause.xoff / 2;
    dut.pause.headroom = 64 * test::kKiB;
    for (auto& link : network.links) link.delay = 100 * kNanosecond + rng.below(kMicrosecond);
    Settings settings = quick();
    settings.seed = seed;
    INFO("seed " << seed);
    const SwitchReport report = test::run_test(network, settings, "fairness");
    check_fair(report, "ports", "obeyed");
    // There are too few frames of each flow for an accurate index.
    CHECK(*of_shares(report, "jain", "flows", "obeyed").high >= 0.999);
  }
}

TEST_CASE("An unfair switch has a low index", "[switchtest]") {
  test::AlteredRig rig(test::set_v1());
  std::uint64_t of_first = 500;
  rig.alter = [&](const Trial& trial, TrialResult& result) {
    // The trial has four flows from each of three senders. Each flow has a second kind of frames for its
    // warm-up.
    if (trial.kinds.size() != 24) return;
    for (std::size_t k = 0; k < 12; ++k) result.kinds[k].arrived = k < 4 ? of_first : 1'000;
  };
  const SwitchReport half = run_tests(rig, quick(), {"fairness"});
  for (const char* between : {"ports", "flows"}) {
    CHECK(*of_shares(half, "jain", between, "ignored").value == Approx(2.5 * 2.5 / (3 * 2.25)));
    CHECK(*of_shares(half, "max_min", between, "ignored").value == Approx(2));
  }
  of_first = 0;
  const SwitchReport none = run_tests(rig, quick(), {"fairness"});
  CHECK(*of_shares(none, "jain", "ports", "ignored").value == Approx(2.0 / 3));
  const Figure& ratio = of_shares(none, "max_min", "ports", "ignored");
  CHECK(ratio.status == Status::kBounded);
  CHECK(*ratio.low > 1'000);
  CHECK_FALSE(ratio.high);
}

TEST_CASE("Random differences of shares do not look like unfairness", "[switchtest]") {
  const Interval even = long_run_jain({{120, 80}, {90, 110}, {105, 95}, {95, 105}});
  CHECK(even.value == 1);
  CHECK(even.low < 1);
  const Interval uneven = long_run_jain({{150, 50}, {149, 51}, {151, 49}});
  CHECK(uneven.value == Approx(0.8).margin(0.001));
  CHECK(uneven.low < 0.8);
  CHECK(uneven.low > 0.78);
  CHECK(uneven.high > 0.8);
  CHECK(long_run_jain({{1, 0, 0}, {1, 0, 0}, {1, 0, 0}}).value == Approx(1.0 / 3));
  const Interval ratio = largest_ratio({{150, 50}, {149, 51}, {151, 49}});
  CHECK(ratio.value == 3);
  CHECK(ratio.low < 3);
  CHECK(ratio.high > 3);
  CHECK(has_starved({{1, 0}, {1, 0}, {1, 0}}));
  CHECK_FALSE(has_starved({{1, 0}, {0, 1}, {1, 0}}));
}

TEST_CASE("Fairness needs an overload and valid trials", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  network.links[3].rate = 10 * test::kTenGigabit;
  CHECK(test::test_report(test::run_test(network, quick(), "fairness"), "fairness").status ==
        Status::kUnresolvable);
  test::AlteredRig rig(test::set_v1());
  rig.alter = [](const Trial& trial, TrialResult& result) {
    if (trial.sources.size() > 2) result.void_reason = "of the test";
  };
  const SwitchReport failed = run_tests(rig, quick(), {"fairness"});
  CHECK(test::test_report(failed, "fairness").status == Status::kInconclusive);
}
