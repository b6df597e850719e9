// SPDX-License-Identifier: BSD-3-Clause
#include "altered_rig.hpp"
#include "base/rng.hpp"
#include "run_test.hpp"
#include "switch_sets.hpp"

#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

constexpr std::uint64_t kBurstFrame = 4170;  // bytes without FCS

Figure incast(const SwitchReport& report, const char* name, unsigned senders) {
  return test::figure(report, "incast", name, {{"senders", std::to_string(senders)}});
}

/// Checks a figure that must be exact to a frame.
void check_frames(const SwitchReport& report, const char* name, unsigned senders, std::uint64_t frames) {
  const Figure& f = incast(report, name, senders);
  INFO(name << " of " << senders << " senders; " << f.reason);
  CHECK(f.status == Status::kMeasured);
  CHECK(f.value == static_cast<double>(frames));
  CHECK(f.low == f.value);
  CHECK(f.high == f.value);
  CHECK(f.unit == "frames");
}

void check_status(const SwitchReport& report, const char* name, Status status) {
  for (const unsigned senders : {2U, 3U}) {
    const Figure& f = incast(report, name, senders);
    INFO(name << " of " << senders << " senders; " << f.reason);
    CHECK(f.status == status);
    CHECK_FALSE(f.reason.empty());
    if (status == Status::kAbsent) CHECK_FALSE(f.value);
  }
}

/// Returns the maximum number of frames of each sender with which no frame finds more than `limit` bytes in
/// the queue.
std::uint64_t frames_below(std::uint64_t limit, unsigned senders) {
  return (limit / kBurstFrame + 1) / (senders - 1);
}

SwitchReport run_incast_on(const fabric::NetworkConfig& network) {
  return test::run_test(network, test::four_ports(), "incast");
}

}  // namespace

TEST_CASE("A plain switch takes a burst that fits into its memory", "[switchtest]") {
  const SwitchReport report = run_incast_on(test::set_v1());
  check_frames(report, "frames_lossless", 2, 251);
  check_frames(report, "frames_lossless", 3, 125);
  check_status(report, "frames_unmarked", Status::kAbsent);
  check_status(report, "frames_unpaused", Status::kAbsent);
  CHECK(incast(report, "start_skew_ns", 3).value == 0.0);
  REQUIRE(test::test_report(report, "incast").curves.size() == 1);
  CHECK(test::test_report(report, "incast").curves[0].points.size() == 2);
}

TEST_CASE("A port limit bounds a burst, and marks begin above Kmin", "[switchtest]") {
  const SwitchReport report = run_incast_on(test::set_v2());
  check_frames(report, "frames_lossless", 2, 125);
  check_frames(report, "frames_lossless", 3, 62);
  check_status(report, "frames_unpaused", Status::kAbsent);
  for (const unsigned n : {2U, 3U}) {
    const Figure& f = incast(report, "frames_unmarked", n);
    CHECK(f.status == Status::kMeasured);
    // Just above Kmin, only few frames are marked, so the figure is not exact.
    CHECK(*f.value >= static_cast<double>(frames_below(40 * test::kKiB, n)));
    CHECK(*f.value <= static_cast<double>(frames_below(60 * test::kKiB, n)));
  }
}

TEST_CASE("A dynamic threshold bounds a burst", "[switchtest]") {
  const SwitchReport report = run_incast_on(test::set_v3());
  check_frames(report, "frames_lossless", 2, 251);
  check_frames(report, "frames_lossless", 3, 125);
  check_status(report, "frames_unpaused", Status::kAbsent);
  for (const unsigned n : {2U, 3U}) {
    const Figure& f = incast(report, "frames_unmarked", n);
    CHECK(*f.value >= static_cast<double>(frames_below(100 * test::kKiB, n)));
    CHECK(*f.value <= static_cast<double>(frames_below(150 * test::kKiB, n)));
  }
}

TEST_CASE("Pauses keep a burst from being lost", "[switchtest]") {
  const SwitchReport v4 = run_incast_on(test::set_v4());
  check_frames(v4, "frames_unpaused", 2, 124);
  check_frames(v4, "frames_unpaused", 3, 93);
  check_status(v4, "frames_lossless", Status::kBounded);
  CHECK(*incast(v4, "frames_lossless", 2).low >= 1000);
  CHECK(*incast(v4, "frames_unmarked", 2).value >= static_cast<double>(frames_below(40 * test::kKiB, 2)));
  CHECK(*incast(v4, "frames_unmarked", 2).value < 20);
  const SwitchReport v5 = run_incast_on(test::set_v5());
  check_frames(v5, "frames_unpaused", 2, 62);
  check_frames(v5, "frames_unpaused", 3, 46);
  check_status(v5, "frames_lossless", Status::kBounded);
  check_status(v5, "frames_unmarked", Status::kAbsent);
}

TEST_CASE("A large memory takes a large burst", "[switchtest]") {
  const SwitchReport report = run_incast_on(test::set_v6());
  check_frames(report, "frames_lossless", 2, 16 * test::kMiB / kBurstFrame);
  check_frames(report, "frames_lossless", 3, 16 * test::kMiB / kBurstFrame / 2);
}

TEST_CASE("Faster senders fill the memory sooner", "[switchtest]") {
  const SwitchReport report = run_incast_on(test::set_v7());
  // When the nth frame of each sender arrives, 1 + ⌊(n - 1) · 10/25⌋ frames have left.
  for (const unsigned senders : {2U, 3U}) {
    std::uint64_t n = 1;
    while ((n + 1) * senders - (1 + n * 2 / 5) <= 251) ++n;
    check_frames(report, "frames_lossless", senders, n);
  }
}

TEST_CASE("Bursts of random switches", "[switchtest]") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Rng rng(seed);
    fabric::NetworkConfig network = test::set_v1();
    fabric::SwitchConfig& dut = network.switches[0];
    dut.buffer = 300'000 + rng.below(3'000'000);
    const std::uint64_t step = 30'000 + rng.below(100'000);
    test::mark_all_queues(dut, step, step);
    dut.times.pipeline = rng.below(2 * kMicrosecond);
    for (auto& link : network.links) link.delay = 50 * kNanosecond + rng.below(5 * kMicrosecond);
    for (std::size_t i = 1; i < 3; ++i) network.links[i].delay = network.links[0].delay;
    const SwitchReport report = run_incast_on(network);
    INFO("seed " << seed);
    for (const unsigned n : {2U, 3U}) {
      check_frames(report, "frames_lossless", n, dut.buffer / kBurstFrame / (n - 1));
      // With Kmin = Kmax, every frame that finds at least this many bytes is marked.
      check_frames(report, "frames_unmarked", n, frames_below(step - 1, n));
    }
  }
}

TEST_CASE("Marks at dequeue and pauses of a switch that obeys none are found", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v4();
  for (auto& queue : network.switches[0].queues) queue.ecn.at_dequeue = true;
  network.switches[0].queues[3].ecn.kmin = network.switches[0].queues[3].ecn.kmax;
  network.links[3].flow_control = fabric::PauseMode::kOff;
  const SwitchReport report = run_incast_on(network);
  check_frames(report, "frames_unpaused", 2, 124);
  check_status(report, "frames_lossless", Status::kBounded);
  // With marking at dequeue, a departing frame has at most the rest of the burst behind it. The frame is
  // marked if this rest has at least ⌈160 KiB / L⌉ = 40 frames.
  check_frames(report, "frames_unmarked", 2, 40);
}

TEST_CASE("Senders that cannot overload the receiver say nothing about bursts", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v1();
  network.links[3].rate = 10 * test::kTenGigabit;
  check_status(run_incast_on(network), "frames_lossless", Status::kUnresolvable);
  Settings two;
  const SwitchReport report = test::run_test(network, two, "incast");
  CHECK(test::test_report(report, "incast").status == Status::kUnresolvable);
}

TEST_CASE("Senders that do not start together make bursts inconclusive", "[switchtest]") {
  test::AlteredRig rig(test::set_v1());
  Time late = 50 * kMicrosecond;
  rig.alter = [&](const Trial&, TrialResult& result) {
    if (!result.start_skew.empty()) result.start_skew.back() += late;
  };
  const SwitchReport failed = run_tests(rig, test::four_ports(), {"incast"});
  CHECK(test::test_report(failed, "incast").status == Status::kInconclusive);
  CHECK(test::test_report(failed, "incast").reason.find("same time") != std::string::npos);
  late = kMicrosecond;
  const SwitchReport report = run_tests(rig, test::four_ports(), {"incast"});
  CHECK(incast(report, "frames_lossless", 2).low == 250.0);
  CHECK(incast(report, "frames_lossless", 2).high == 251.0);
  CHECK(incast(report, "start_skew_ns", 2).value == 1000.0);
}

TEST_CASE("A void trial with long bursts bounds the burst", "[switchtest]") {
  test::AlteredRig rig(test::set_v1());
  rig.alter = [](const Trial& trial, TrialResult& result) {
    if (trial.sources.size() > 1 && trial.sources[0].count > 200) result.void_reason = "of the test";
  };
  const SwitchReport report = run_tests(rig, test::four_ports(), {"incast"});
  CHECK(test::test_report(report, "incast").status == Status::kInconclusive);
}
