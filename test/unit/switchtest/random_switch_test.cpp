// SPDX-License-Identifier: BSD-3-Clause
#include "random_switch.hpp"

#include "closed_forms.hpp"
#include "fabric/network.hpp"
#include "score.hpp"
#include "simulator/frame_pool.hpp"
#include "switch_sets.hpp"
#include "switchtest/freeze.hpp"
#include "switchtest/tests.hpp"
#include "switchtest/virtual_rig.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

Settings random_settings() {
  Settings out = test::four_ports();
  out.effort = Effort::kQuick;
  out.sizes = {1026, 4174};
  return out;
}

Figure number(double value, double low, double high) {
  return {.name = "n", .value = value, .low = low, .high = high};
}

test::Score score_of(const Figure& figure, const test::Truth& truth) {
  SwitchReport report;
  report.tests.push_back({.name = "t", .title = "", .figures = {figure}});
  return test::score(report, {truth});
}

}  // namespace

TEST_CASE("Random switches cover their ranges", "[switchtest]") {
  unsigned limited = 0, dynamic = 0, marks = 0, pfc = 0, pause = 0, deaf = 0, cut = 0, at_dequeue = 0,
           faster = 0;
  constexpr unsigned kSwitches = 300;
  for (std::uint64_t seed = 1; seed <= kSwitches; ++seed) {
    const fabric::NetworkConfig network = test::random_switch(seed);
    REQUIRE_NOTHROW(fabric::check(network));
    const fabric::SwitchConfig& dut = network.switches[0];
    REQUIRE(dut.buffer >= 256 * test::kKiB - 1);
    REQUIRE(dut.buffer <= 16 * test::kMiB);
    limited += dut.port_limit != 0 ? 1 : 0;
    dynamic += dut.dynamic_alpha != 0 ? 1 : 0;
    marks += dut.queues[0].ecn.enabled ? 1 : 0;
    at_dequeue += dut.queues[0].ecn.at_dequeue ? 1 : 0;
    pfc += network.links[0].flow_control == fabric::PauseMode::kPfc ? 1 : 0;
    pause += network.links[0].flow_control == fabric::PauseMode::kPause ? 1 : 0;
    deaf += network.links[3].flow_control == fabric::PauseMode::kOff ? 1 : 0;
    cut += dut.times.cut_through ? 1 : 0;
    faster += network.links[0].rate > network.links[3].rate ? 1 : 0;
  }
  for (const unsigned n : {limited, dynamic, marks, pfc, pause, deaf, cut, at_dequeue, faster}) {
    CHECK(n > kSwitches / 20);
    CHECK(n < kSwitches * 19 / 20);
  }
}

TEST_CASE("A seed gives the same random switch", "[switchtest]") {
  const fabric::NetworkConfig a = test::random_switch(7), b = test::random_switch(7),
                              c = test::random_switch(8);
  CHECK(a.switches[0].buffer == b.switches[0].buffer);
  CHECK(a.switches[0].dscp_to_queue == b.switches[0].dscp_to_queue);
  CHECK(a.links[2].delay == b.links[2].delay);
  CHECK(a.switches[0].buffer != c.switches[0].buffer);
}

TEST_CASE("Closed forms agree with the table of validation sets", "[switchtest]") {
  CHECK(test::queue_frames(test::set_v1().switches[0], 4170) == 251);
  CHECK(test::queue_frames(test::set_v1().switches[0], 1022) == 1026);
  CHECK(test::queue_frames(test::set_v2().switches[0], 4170) == 125);
  CHECK(test::queue_frames(test::set_v3().switches[0], 1022) == 1026);
  CHECK(test::queue_frames(test::set_v3().switches[0], 4170) == 251);
  CHECK(test::shortest_delay(test::set_v1(), 4170) == 7'710'400);
  CHECK(test::shortest_delay(test::set_v7(), 4170) == 5'697'280);
  CHECK(test::pauses_sender(test::set_v4(), 26, 4170));
  CHECK_FALSE(test::pauses_sender(test::set_v4(), 48, 4170));
  CHECK_FALSE(test::pauses_sender(test::set_v1(), 26, 4170));
}

TEST_CASE("Closed forms agree with what random switches do", "[switchtest]") {
  const std::uint64_t seed = GENERATE(range(1U, 13U));
  const fabric::NetworkConfig network = test::random_switch(seed);
  VirtualRig rig(network);
  const Settings settings = test::four_ports();
  Findings findings;
  TestReport report{.name = "test"};
  Context ctx(rig, settings, findings, report);
  run_preflight(ctx);
  Trial one = ctx.trial();
  one.kinds.push_back(ctx.frame(3, 4174));
  one.sources.push_back({.port = 0, .kinds = {0}, .count = 1});
  one.end = kMillisecond;
  const Time delay = rig.run(one).kinds[0].delay_sum, truth = test::shortest_delay(network, 4170);
  CHECK(std::max(delay, truth) - std::min(delay, truth) <= 2);  // both are rounded to picoseconds
  const fabric::SwitchConfig& dut = network.switches[0];
  const bool headroom = dut.pause.headroom != 0 && test::pauses_sender(network, 26, 60);
  for (const std::uint32_t size : {1026U, 4174U}) {
    auto freeze = FreezeTrial::create(ctx, 3, 26);
    if (!freeze || headroom) continue;
    const std::uint64_t fits = test::queue_frames(dut, size - 4);
    freeze->trial.obedience.assign(4, {.obeys = false});
    const std::uint16_t kind = freeze->send(ctx, 0, ctx.frame(3, size), fits + 20);
    freeze->release(ctx, (fits + 20) * (size + 20));
    CHECK(ctx.run(freeze->trial).kinds[kind].arrived == fits);
  }
}

TEST_CASE("The score of a report", "[switchtest]") {
  const test::Truth truth{.test = "t", .figure = "n", .value = 100};
  CHECK(score_of(number(101, 99, 103), truth).covered == 1);
  const test::Score near = score_of(number(103, 102, 104), truth);
  CHECK(near.values == 1);
  CHECK(near.covered == 0);
  CHECK(near.far == 0);
  CHECK(near.complaints.size() == 1);
  CHECK(score_of(number(110, 109, 111), truth).far == 1);
  CHECK(score_of({.name = "n", .value = 50, .low = 50, .status = Status::kBounded}, truth).covered == 1);
  CHECK(score_of({.name = "n", .value = 101, .low = 101, .status = Status::kBounded}, truth).far == 1);
  CHECK(score_of({.name = "n", .status = Status::kUnresolvable}, truth).silent == 1);
  CHECK(score_of({.name = "n", .status = Status::kAbsent}, truth).wrong_class == 1);
  CHECK(score_of({.name = "other", .value = 100}, truth).silent == 1);
}

TEST_CASE("The score of words and of what a switch does not do", "[switchtest]") {
  const test::Truth word{.test = "t", .figure = "n", .text = "PFC"};
  CHECK(score_of({.name = "n", .text = "PFC"}, word).words == 1);
  CHECK(score_of({.name = "n", .text = "none"}, word).wrong_class == 1);
  const test::Truth absent{.test = "t", .figure = "n", .absent = true};
  CHECK(score_of({.name = "n", .status = Status::kAbsent}, absent).words == 1);
  CHECK(score_of({.name = "other"}, absent).words == 1);
  CHECK(score_of(number(1, 1, 1), absent).wrong_class == 1);
}

namespace {

/// Measures the switches with seeds 1 to `count`. Each complaint begins with the seed.
test::Score score_of_switches(std::uint64_t count, const std::string& tests) {
  Settings settings = random_settings();
  test::Score sum;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const fabric::NetworkConfig network = test::random_switch(seed);
    settings.cable = network.links[3].delay;
    const SwitchReport report = test::run_test(network, settings, tests);
    test::Score one = test::score(report, test::truths_of(network, settings));
    for (std::string& complaint : one.complaints)
      complaint = "seed " + std::to_string(seed) + ": " + complaint;
    sum.add(one);
  }
  return sum;
}

std::string lines_of(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += text + '\n';
  return out;
}

}  // namespace

TEST_CASE("Random switches are measured correctly", "[switchtest][long]") {
  constexpr std::uint64_t kSwitches = 6;
  const test::Score sum = score_of_switches(kSwitches, "throughput,ecmp,soak");
  INFO(lines_of(sum.complaints));
  CHECK(sum.share() >= 0.95);
  CHECK(sum.far == 0);
  CHECK(sum.wrong_class == 0);
  CHECK(sum.values > 12 * kSwitches);
  CHECK(sum.words > 5 * kSwitches);
  CHECK(sum.silent < kSwitches);
}

// This test case takes minutes, so it runs only if it is selected with: unit_switchtest "[hundred]".
TEST_CASE("A hundred random switches are measured correctly by all tests", "[.][hundred]") {
  std::string tests;
  for (const SwitchTest& test : all_tests())
    if (!test.on_request) tests += (tests.empty() ? "" : ",") + std::string(test.name);
  const test::Score sum = score_of_switches(100, tests);
  INFO(lines_of(sum.complaints));
  WARN(sum.covered << " of " << sum.values << " values lie in their intervals, " << sum.far
                   << " are wrong by more than twice the width; " << sum.words << " words are right, "
                   << sum.wrong_class << " wrong; " << sum.silent << " figures are unknown");
  CHECK(sum.share() >= 0.95);
  CHECK(sum.far == 0);
  CHECK(sum.wrong_class == 0);
}
