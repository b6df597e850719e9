// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/virtual_rig.hpp"

#include "switch_sets.hpp"
#include "switchtest/freeze.hpp"
#include "switchtest/tests.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

TEST_CASE("A frame takes its time on both links and both delays", "[switchtest]") {
  VirtualRig rig(test::set_v1());
  Trial trial;
  trial.kinds.push_back({.to = 3, .length = 4170, .record = true});
  trial.sources.push_back({.port = 0, .kinds = {0}, .start = kMicrosecond, .count = 1});
  trial.end = kMillisecond;
  const TrialResult result = rig.run(trial);
  REQUIRE(result.arrivals.size() == 1);
  const Arrival& a = result.arrivals.front();
  CHECK(a.departed == kMicrosecond);
  CHECK(a.at - a.departed == 7'710'400);  // picoseconds
  CHECK(a.intact);
  CHECK(a.dscp == 26);
  CHECK(a.ecn == roce::Ecn::kEct0);
  CHECK(result.kinds[0].arrived == 1);
  CHECK(result.kinds[0].delay_sum == 7'710'400);
  CHECK(result.kinds[0].first_departure == kMicrosecond);
  CHECK(result.kinds[0].last_arrival == a.at);
  REQUIRE(result.latency.size() == 1);
  CHECK(result.latency[0].max() == 7'710'400);
  CHECK(result.foreign == 0);
}

TEST_CASE("A frame can have another destination than its port", "[switchtest]") {
  VirtualRig rig(test::set_v1());
  Trial trial;
  trial.kinds.push_back({.to = 1, .destination = default_address(3), .record = true});
  trial.sources.push_back({.port = 0, .kinds = {0}, .count = 1});
  trial.end = kMillisecond;
  const TrialResult result = rig.run(trial);
  REQUIRE(result.arrivals.size() == 1);
  CHECK(result.arrivals[0].port == 3);
  CHECK(result.kinds[0].misdelivered == 1);
}

TEST_CASE("A frozen queue of a plain switch holds what fits into its memory", "[switchtest]") {
  VirtualRig rig(test::set_v1());
  const Settings settings = test::four_ports();
  Findings findings;
  TestReport report{.name = "test"};
  Context ctx(rig, settings, findings, report);
  run_preflight(ctx);
  CHECK(findings.obeyed == roce::PauseMode::kPause);
  CHECK(findings.sends == roce::PauseMode::kOff);
  for (const auto& [size, fits] : {std::pair{4174U, 251U}, std::pair{1026U, 1026U}}) {
    auto freeze = FreezeTrial::create(ctx, 3, 26);
    REQUIRE(freeze);
    const std::uint16_t kind = freeze->send(ctx, 0, ctx.frame(3, size), 2 * fits);
    freeze->release(ctx, std::uint64_t{2 * fits} * (size + 20));
    const TrialResult result = ctx.run(freeze->trial);
    CHECK_FALSE(freeze->lapsed(result));
    CHECK(result.kinds[kind].arrived == fits);
    CHECK(result.kinds[kind].missing() == fits);
  }
}

TEST_CASE("The same trials give the same results", "[switchtest]") {
  const auto once = [] {
    VirtualRig rig(test::set_v1());
    Trial trial;
    trial.kinds.push_back({.to = 3, .length = 1022, .record = true});
    for (std::uint16_t p = 0; p < 3; ++p)
      trial.sources.push_back({.port = p,
                               .kinds = {0},
                               .end = kMillisecond,
                               .gap = 2 * kMicrosecond,
                               .gap_kind = GapKind::kExponential});
    trial.end = 5 * kMillisecond;
    std::vector<Time> times;
    for (const Arrival& a : rig.run(trial).arrivals) times.push_back(a.at);
    return times;
  };
  const auto first = once();
  CHECK(first.size() > 500);
  CHECK(first == once());
}
