// SPDX-License-Identifier: BSD-3-Clause
#include "../switchtest/switch_sets.hpp"
#include "real_rig_main.hpp"
#include "switchtest/context.hpp"
#include "switchtest/freeze.hpp"
#include "switchtest/runner.hpp"
#include "switchtest/tests.hpp"

#include <chrono>
#include <thread>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

/// Returns a rig whose switch (set V1) is connected by rings.
Rig& rig() {
  if (!test::shared_rig) {
    config::LabConfig lab = test::small_configuration();
    lab.network = test::set_v1();
    test::shared_rig = std::make_unique<runtime::RealRig>(
        lab, runtime::RealRigSettings{.kind = RigKind::kRings,
                                      .interrupted = [] { return test::rig_hook && test::rig_hook(); }});
  }
  return *test::shared_rig;
}

/// Repeats a trial until it is valid, because other processes can take the CPUs of the rig at any time.
TrialResult run_valid(const Trial& trial) {
  constexpr int kAttempts = 50;
  TrialResult result;
  for (int i = 0; i < kAttempts; ++i) {
    result = rig().run(trial);
    if (result.valid()) return result;
    WARN(result.void_reason);
  }
  FAIL("no trial was valid");
  return result;
}

}  // namespace

TEST_CASE("Frames cross the rings and arrive intact", "[rings]") {
  Trial trial;
  trial.kinds.push_back({.to = 3, .length = 4170, .dscp = 46, .record = true});
  trial.kinds.push_back({.to = 0, .length = 1022, .record = true});
  trial.kinds.back().vlan = roce::VlanTag{7, 5};
  trial.kinds.push_back({.to = 1, .length = 60, .plain_udp = true, .ttl = 9, .record = true});
  trial.sources.push_back({.port = 0, .kinds = {0}, .start = kMicrosecond, .count = 1});
  trial.sources.push_back({.port = 3, .kinds = {1}, .count = 3});
  trial.sources.push_back({.port = 2, .kinds = {2}, .count = 2});
  trial.end = 5 * kMillisecond;
  const TrialResult result = run_valid(trial);
  REQUIRE(result.arrivals.size() == 6);
  for (const Arrival& a : result.arrivals) {
    CHECK(a.intact);
    CHECK(a.port == trial.kinds[a.kind].to);
    CHECK(a.dscp == trial.kinds[a.kind].dscp);
    CHECK(a.vlan == trial.kinds[a.kind].vlan);
    CHECK(a.ttl == trial.kinds[a.kind].ttl);
    CHECK(a.at >= a.departed);
  }
  for (const KindStats& kind : result.kinds) {
    CHECK(kind.missing() == 0);
    CHECK(kind.damaged == 0);
    CHECK(kind.misdelivered == 0);
    CHECK(kind.reordered == 0);
  }
  CHECK(result.foreign == 0);
}

TEST_CASE("A frozen port behind rings holds its frames until it is released", "[rings]") {
  Trial trial;
  trial.kinds.push_back({.to = 3, .length = 1022, .record = true});
  trial.freezes.push_back({.port = 3, .until = 20 * kMillisecond});
  trial.sources.push_back({.port = 0, .kinds = {0}, .start = 3 * kMillisecond, .count = 100});
  trial.end = 30 * kMillisecond;
  const TrialResult result = run_valid(trial);
  REQUIRE(result.arrivals.size() == 100);
  for (const Arrival& a : result.arrivals) CHECK(a.at > 20 * kMillisecond);
  // The port is frozen for 20 ms, which takes six pauses of at most 3.36 ms. Four pause frames are sent for
  // each of them, and one frame ends the last pause.
  CHECK(result.sent_pauses.size() == 25);
}

TEST_CASE("A frozen queue behind rings holds what fits into its memory", "[rings]") {
  const Settings settings = test::four_ports();
  Findings findings;
  TestReport report{.name = "test"};
  Context ctx(rig(), settings, findings, report);
  findings.obeyed = roce::PauseMode::kPause;
  for (const auto& [size, fits] : {std::pair{4174U, 251U}, std::pair{1026U, 1026U}}) {
    auto freeze = FreezeTrial::create(ctx, 3, 26);
    REQUIRE(freeze);
    const std::uint16_t kind = freeze->send(ctx, 0, ctx.frame(3, size), 2 * fits);
    freeze->release(ctx, std::uint64_t{2 * fits} * (size + 20));
    const TrialResult result = run_valid(freeze->trial);
    CHECK_FALSE(freeze->lapsed(result));
    CHECK(result.kinds[kind].sent == 2 * fits);
    CHECK(result.kinds[kind].arrived == fits);
  }
}

// This test has a tag of its own, so that it can be skipped if the rig has more worker loops than the machine
// has CPUs.
TEST_CASE("The throughput behind rings is never wrong", "[throughput]") {
  Settings settings = test::four_ports();
  settings.effort = Effort::kQuick;
  settings.sizes = {4174};
  Rig& r = rig();
  const auto began = std::chrono::steady_clock::now();
  test::rig_hook = [&] { return std::chrono::steady_clock::now() - began > std::chrono::seconds(30); };
  const SwitchReport report = run_tests(r, settings, {"throughput"});
  test::rig_hook = {};
  if (report.interrupted) {
    WARN("skipped: other processes took the CPUs of the rig, so that most trials were void");
    test::rig_starved = true;
    return;
  }
  REQUIRE(report.tests.size() == 2);
  const auto& figures = report.tests[1].figures;
  const bool inconclusive = report.tests[1].status == Status::kInconclusive;
  CHECK((inconclusive || !figures.empty()));
  for (const Figure& figure : figures) {
    UNSCOPED_INFO(figure.name << " " << figure.value.value_or(-1) << " " << figure.low.value_or(-1) << " to "
                              << figure.high.value_or(-1) << " " << figure.reason);
    CHECK(figure.name != "loss_floor");
    if (figure.name != "load") continue;
    // The switch loses nothing at line rate. The result must therefore be line rate, or a lower bound if the
    // rig could not send at line rate.
    CHECK(figure.low <= 1);
    CHECK(figure.high.value_or(1) == 1);
    CHECK((figure.status == Status::kBounded || figure.value == 1));
  }
}

TEST_CASE("A loop that stops makes a trial void", "[rings]") {
  Trial trial;
  trial.kinds.push_back({.to = 3, .length = 1022});
  trial.sources.push_back({.port = 0, .kinds = {0}, .count = 1});
  trial.end = 10 * kMillisecond;
  Rig& r = rig();
  int calls = 0;
  test::rig_hook = [&] {
    if (++calls % 1000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return false;
  };
  const TrialResult result = r.run(trial);
  test::rig_hook = {};
  CHECK(result.void_reason.find("was not run for") != std::string::npos);
}

TEST_CASE("A schedule that no program keeps makes a trial void", "[rings]") {
  Trial trial;
  trial.kinds.push_back({.to = 3, .length = 74});
  trial.sources.push_back({.port = 0, .kinds = {0}, .count = 200'000});
  trial.end = 20 * kMillisecond;
  const TrialResult result = rig().run(trial);
  INFO(result.void_reason);
  CHECK_FALSE(result.valid());
  // A schedule with one frame every 10 us can be kept.
  CHECK(run_valid([] {
          Trial slow;
          slow.kinds.push_back({.to = 3, .length = 74});
          slow.sources.push_back({.port = 0, .kinds = {0}, .count = 1000, .gap = 10 * kMicrosecond});
          slow.end = 15 * kMillisecond;
          return slow;
        }())
            .kinds[0]
            .arrived == 1000);
}

TEST_CASE("A trial behind rings is interrupted", "[rings]") {
  Trial trial;
  trial.kinds.push_back({.to = 3, .length = 74});
  trial.sources.push_back({.port = 0, .kinds = {0}, .count = 1});
  trial.end = 100 * kSecond;
  Rig& r = rig();
  const auto began = std::chrono::steady_clock::now();
  test::rig_hook = [&] { return std::chrono::steady_clock::now() - began > std::chrono::milliseconds(20); };
  CHECK_THROWS_AS(r.run(trial), Interrupted);
  test::rig_hook = {};
}
