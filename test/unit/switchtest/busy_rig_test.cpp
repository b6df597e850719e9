// SPDX-License-Identifier: BSD-3-Clause
#include "altered_rig.hpp"
#include "run_test.hpp"
#include "switch_sets.hpp"
#include "switchtest/train_trial.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

TEST_CASE("A delay of the senders changes trains by what they send in it", "[switchtest]") {
  test::AlteredRig rig(test::set_v1());
  rig.as = RigKind::kRings;
  const Settings settings = test::four_ports();
  Findings findings;
  TestReport test_report{.name = "test"};
  const Context ctx(rig, settings, findings, test_report);
  const FrameKind frame = ctx.frame(3, 4174);
  TrialResult result;
  result.late_max = 10 * kMicrosecond;
  result.time_error = 6 * kMicrosecond;
  // In 16 us, a sender sends 4.77 frames of 4194 bytes on the wire. With two senders, half of each train
  // waits, so the error is 4.77 / (1/2) = 9.5 frames. With three senders, it is 4.77 / (2/3) = 7.2 frames.
  CHECK(train_error(ctx, result, frame, {0, 1}) == 10);
  CHECK(train_error(ctx, result, frame, {0, 1, 2}) == 8);
  CHECK(train_error(ctx, result, frame, {0}) == 0);
  result.late_max = result.time_error = 0;
  CHECK(train_error(ctx, result, frame, {0, 1}) == 0);
  rig.as = RigKind::kVirtual;
  result.time_error = kMillisecond;
  CHECK(train_error(ctx, result, frame, {0, 1}) == 0);
}

TEST_CASE("Late frames widen the intervals of bursts and of incasts", "[switchtest]") {
  test::AlteredRig rig(test::set_v1());
  rig.as = RigKind::kRings;
  rig.alter = [](const Trial&, TrialResult& result) { result.time_error = 10 * kMicrosecond; };
  Settings settings = test::four_ports();
  settings.effort = Effort::kQuick;
  settings.sizes = {4174};
  const SwitchReport report = run_tests(rig, settings, {"burst", "incast"});
  // In 10 us, two senders send 5.96 frames. Since half of a train waits, this corresponds to 11.92 frames of
  // the train.
  const Figure& frames = test::figure(report, "burst", "frames", {{"size", "4174"}});
  CHECK(*frames.high - *frames.low == Approx(2 * 12 + 2).margin(2.1));
  const Figure& incast = test::figure(report, "incast", "frames_lossless", {{"senders", "2"}});
  CHECK(*incast.value == 251);
  CHECK(*incast.low == 251 - 6);
  CHECK(*incast.high == 251 + 6);
}

TEST_CASE("A burst that fails is bounded by the error of a trial in which it failed", "[switchtest]") {
  // A burst that is one frame too long passes once, and then fails only in trials with a large error.
  test::AlteredRig rig(test::set_v1());
  rig.as = RigKind::kRings;
  bool passed = false;
  rig.alter = [&](const Trial& trial, TrialResult& result) {
    if (trial.sources.size() != 2 || trial.sources[0].count != 252) return;
    if (passed) {
      result.time_error = 100 * kMicrosecond;
    } else {
      for (KindStats& kind : result.kinds) kind.arrived = kind.sent;
    }
    passed = true;
  };
  Settings settings = test::four_ports();
  settings.effort = Effort::kQuick;
  const SwitchReport report = run_tests(rig, settings, {"incast"});
  const Figure& incast = test::figure(report, "incast", "frames_lossless", {{"senders", "2"}});
  CHECK(*incast.value == 251);
  CHECK(*incast.low == 251);
  CHECK(*incast.high == 251 + 60);  // in 100 us, the two senders send 59.6 frames
}

TEST_CASE("A rig that stands still while queues drain does not make a shaper", "[switchtest]") {
  const bool always = GENERATE(false, true);
  test::AlteredRig rig(test::set_v1());
  rig.as = RigKind::kRings;
  int trials = 0;
  rig.alter = [&](const Trial& trial, TrialResult& result) {
    // Before the last 20 frames arrive, a worker loop of the rig stops for the time of 120 frames.
    if (trial.freezes.empty() || (!always && ++trials % 2 != 0)) return;
    result.time_error = 100 * kMicrosecond;
    const std::size_t late = result.arrivals.size() - std::min<std::size_t>(result.arrivals.size(), 20);
    for (std::size_t i = late; i < result.arrivals.size(); ++i) result.arrivals[i].at += result.time_error;
  };
  Settings settings = test::four_ports();
  settings.effort = Effort::kQuick;
  const SwitchReport report = run_tests(rig, settings, {"scheduler"});
  const Figure& shaper = test::figure(report, "scheduler", "shaper_gbps");
  CHECK(shaper.status == (always ? Status::kInconclusive : Status::kAbsent));
}

TEST_CASE("The longest burst of a busy rig may pass after it has failed", "[switchtest]") {
  test::AlteredRig rig(test::set_v1());
  rig.as = RigKind::kRings;
  int bursts = 0;
  rig.alter = [&](const Trial& trial, TrialResult& result) {
    if (trial.sources.size() != 2 || trial.sources[0].count != 256 || ++bursts == 1) return;
    result.time_error = 20 * kMicrosecond;  // an error of 12 frames of each sender
    for (KindStats& kind : result.kinds) kind.arrived = kind.sent;
  };
  Settings settings = test::four_ports();
  settings.effort = Effort::kQuick;
  const SwitchReport report = run_tests(rig, settings, {"incast"});
  const Figure& incast = test::figure(report, "incast", "frames_lossless", {{"senders", "2"}});
  CHECK(incast.status == Status::kMeasured);
  CHECK(*incast.value == 251);
  CHECK(*incast.high < 256);
}

TEST_CASE("A burst that no rig can lengthen has an error, too", "[switchtest]") {
  test::AlteredRig rig(test::set_v4());  // pauses prevent losses
  rig.as = RigKind::kRings;
  rig.alter = [](const Trial&, TrialResult& result) { result.time_error = 10 * kMicrosecond; };
  Settings settings = test::four_ports();
  settings.effort = Effort::kQuick;
  const SwitchReport report = run_tests(rig, settings, {"incast"});
  const Figure& incast = test::figure(report, "incast", "frames_lossless", {{"senders", "2"}});
  CHECK(incast.status == Status::kBounded);
  CHECK(*incast.low == *incast.value);
  CHECK((static_cast<std::uint64_t>(*incast.low) + 6) % 256 == 0);
}

TEST_CASE("A failed preflight is repeated, and nothing is concluded before it succeeds", "[switchtest]") {
  Settings settings = test::four_ports();
  settings.effort = Effort::kQuick;
  int trials = 0, bad = 0;
  test::AlteredRig rig(test::set_v4());
  rig.as = RigKind::kRings;
  rig.alter = [&](const Trial&, TrialResult& result) {
    if (trials++ < bad) result.void_reason = "the rig was busy";
  };
  bad = 5;  // all attempts of the first trial are invalid
  SwitchReport report = run_tests(rig, settings, {"dscp"});
  CHECK(test::test_report(report, "preflight").status == Status::kMeasured);
  CHECK(test::test_report(report, "dscp").status == Status::kMeasured);
  REQUIRE(report.tests.size() == 2);
  trials = 0;
  bad = 10;
  report = run_tests(rig, settings, {"buffer"});
  CHECK(test::test_report(report, "buffer").status == Status::kInconclusive);
  CHECK(test::test_report(report, "buffer").reason.find("the preflight is inconclusive") == 0);
  CHECK(test::test_report(report, "buffer").figures.empty());
}
