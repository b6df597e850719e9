// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/train_error.hpp"

#include "altered_rig.hpp"
#include "run_test.hpp"
#include "switch_sets.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

TEST_CASE("A delay of the senders changes trains by what they send in it", "[switchtest]") {
  TrialResult result;
  result.late_max = 10 * kMicrosecond;
  result.time_error = 6 * kMicrosecond;
  // 16 us at 2.5 GB/s are 9.54 frames of 4194 bytes on the wire; half of a train waits.
  CHECK(frames_of_error(result, 4170, 2.5e9, 1.25e9) == Approx(19.07).epsilon(0.001));
  result.late_max = result.time_error = 0;
  CHECK(frames_of_error(result, 4170, 2.5e9, 1.25e9) == 0);
}

TEST_CASE("Late frames widen the intervals of bursts and of incasts", "[switchtest]") {
  test::AlteredRig rig(test::set_v1());
  rig.as = RigKind::kRings;
  rig.alter = [](const Trial&, TrialResult& result) { result.time_error = 10 * kMicrosecond; };
  Settings settings = test::four_ports();
  settings.effort = Effort::kQuick;
  settings.sizes = {4174};
  const SwitchReport report = run_tests(rig, settings, {"burst", "incast"});
  // 10 us are 5.96 frames of two senders, or 11.92 frames of a train of which half waits.
  const Figure& frames = test::figure(report, "burst", "frames", {{"size", "4174"}});
  CHECK(*frames.high - *frames.low == Approx(2 * 12 + 2).margin(2.1));
  const Figure& incast = test::figure(report, "incast", "frames_lossless", {{"senders", "2"}});
  CHECK(*incast.value == 251);
  CHECK(*incast.low == 251 - 6);
  CHECK(*incast.high == 251 + 6);
}
