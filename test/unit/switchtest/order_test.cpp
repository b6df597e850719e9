// SPDX-License-Identifier: BSD-3-Clause
#include "altered_rig.hpp"
#include "base/rng.hpp"
#include "switch_sets.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

Figure order_figure(const SwitchReport& report, const char* name, const char* flows) {
  return test::figure(report, "order", name, {{"flows", flows}});
}

/// Runs the test with mixed sizes (those of the settings) and 50,000 frames.
SwitchReport order_of(const fabric::NetworkConfig& network) {
  return test::run_test(network, test::four_ports(), "order");
}

constexpr double kFrames = 50'000;

/// Checks that a number of events is within five standard deviations of the expected number. `p` is the
/// probability of the event for each frame.
void check_share(const Figure& figure, double p) {
  CHECK(figure.value.value() == Approx(p * kFrames).margin(5 * std::sqrt(p * kFrames)));
  CHECK(figure.status == Status::kMeasured);
}

}  // namespace

TEST_CASE("A switch without faults keeps the order of flows", "[switchtest][long]") {
  for (const auto& network : {test::set_v1(), test::set_v2(), test::set_v3(), test::set_v4(), test::set_v5(),
                              test::set_v6(), test::set_v7()}) {
    const SwitchReport report = order_of(network);
    for (const char* flows : {"1", "64"})
      for (const char* name : {"reordered", "reorder_extent", "duplicated", "icrc_errors"}) {
        const Figure& f = order_figure(report, name, flows);
        CHECK(f.value == 0.0);
        CHECK(f.high == 0.0);
        CHECK(f.status == Status::kMeasured);
        CHECK(f.reason == "of 50000 frames; the share is below 3/50000 at 95 %");
      }
  }
}

TEST_CASE("Late frames are counted with their extent", "[switchtest]") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Rng rng(seed);
    fabric::NetworkConfig network = test::set_v1();
    network.seed = seed;
    const double p = 0.002 * static_cast<double>(1 + rng.below(10));
    network.links[3].b_to_a.reorder = static_cast<std::uint64_t>(p * 4294967296.0);
    network.links[3].b_to_a.reorder_by = (50 + rng.below(100)) * kMicrosecond;
    INFO("seed " << seed << ", p " << p);
    const SwitchReport report = order_of(network);
    const Figure& one = order_figure(report, "reordered", "1");
    // Nearly all delayed frames are overtaken by others.
    CHECK(*one.value > 0.9 * p * kFrames);
    CHECK(*one.value < 1.1 * p * kFrames + 20);
    // Frames start every 1.1 µs on average, so about one frame per µs overtakes a delayed frame. The number
    // varies, because the lengths of the frames do: the smallest take only 0.08 µs.
    const double by = static_cast<double>(network.links[3].b_to_a.reorder_by) / kMicrosecond;
    const Figure& extent = order_figure(report, "reorder_extent", "1");
    CHECK(*extent.value > by / 1.5);
    CHECK(*extent.value < by * 1.5);
    // With 64 flows, few frames overtake another frame of the same flow.
    CHECK(*order_figure(report, "reordered", "64").value < *one.value);
    CHECK(*order_figure(report, "reorder_extent", "64").value < *extent.value / 8);
  }
}

TEST_CASE("Short frames that overtake long ones of their flow are reordered", "[switchtest]") {
  test::AlteredRig rig(test::set_v1());
  rig.alter = [](const Trial& trial, TrialResult& result) {
    // Make it seem that frames took one of two paths depending on their length. Each kind of frames stays in
    // order.
    std::stable_partition(result.arrivals.begin(), result.arrivals.end(),
                          [&](const Arrival& a) { return trial.kinds[a.kind].length < 100; });
  };
  const SwitchReport report = run_tests(rig, test::four_ports(), {"order"});
  CHECK(order_figure(report, "reordered", "1").value.value() > 0.7 * kFrames);
  for (const auto& trial : test::test_report(report, "order").trials)
    for (const auto& kind : trial.kinds) CHECK(kind.reordered == 0);
}

TEST_CASE("Copies and damage are counted", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  network.links[0].a_to_b.duplicate = (std::uint64_t{1} << 32) / 100;
  network.links[3].b_to_a.corrupt = (std::uint64_t{1} << 32) / 50;
  const SwitchReport report = order_of(network);
  for (const char* flows : {"1", "64"}) {
    check_share(order_figure(report, "duplicated", flows), 0.01 * 0.98 * 0.98);
    CHECK(order_figure(report, "reordered", flows).value == 0.0);
    // Bit errors in the outer headers may make a frame unrecognizable, so fewer are counted.
    CHECK(*order_figure(report, "icrc_errors", flows).value > 0.7 * 0.02 * kFrames);
    CHECK(*order_figure(report, "icrc_errors", flows).value < 1.2 * 0.02 * kFrames);
  }
}

TEST_CASE("Without frames there is no order", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  network.links[0].a_to_b.drop = std::uint64_t{1} << 32;
  const SwitchReport report = order_of(network);
  CHECK(order_figure(report, "reordered", "1").status == Status::kUnresolvable);
  CHECK_FALSE(order_figure(report, "duplicated", "64").value);
}

TEST_CASE("A real rig measures the order in several trials, which must be valid", "[switchtest][long]") {
  test::AlteredRig rig(test::set_v1());
  rig.as = RigKind::kRings;
  Settings settings = test::four_ports();
  settings.effort = Effort::kQuick;
  settings.sizes = {1026};
  std::uint64_t sent = 0;
  rig.alter = [&](const Trial& trial, TrialResult& result) {
    for (const KindStats& k : result.kinds) sent += trial.freezes.empty() ? k.sent : 0;
  };
  const SwitchReport report = run_tests(rig, settings, {"order"});
  // Frames are sent for 0.2 s at 99 % of 10 Gb/s, twice.
  CHECK(sent == Approx(2 * 0.2 * 0.99 * 1.25e9 / 1046).epsilon(0.01));
  CHECK(order_figure(report, "reordered", "64").value == 0.0);
  CHECK(test::test_report(report, "order").trials.size() == 4);
  rig.alter = [](const Trial& trial, TrialResult& result) {
    if (trial.freezes.empty()) result.void_reason = "imissed";
  };
  const SwitchReport late = run_tests(rig, settings, {"order"});
  CHECK(test::test_report(late, "order").status == Status::kInconclusive);
}
