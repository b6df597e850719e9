// SPDX-License-Identifier: BSD-3-Clause
#include "altered_rig.hpp"
#include "base/rng.hpp"
#include "run_test.hpp"
#include "scheduler_figures.hpp"
#include "switch_sets.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

/// Makes the result look as if the switch served two kinds of frames by weighted round robin: `weight` frames
/// of DSCP 26 for each frame of DSCP 0.
void make_wrr(TrialResult& result, std::uint64_t weight) {
  std::array<std::vector<Arrival>, 2> frames;
  for (const Arrival& a : result.arrivals) frames[a.dscp == 26 ? 1 : 0].push_back(a);
  if (frames[0].empty() || frames[1].empty()) return;
  std::array<std::size_t, 2> next{};
  for (std::size_t i = 0; i < result.arrivals.size(); ++i) {
    std::size_t queue = i % (weight + 1) == 0 ? 0 : 1;
    if (next[queue] == frames[queue].size()) queue = 1 - queue;
    const Time at = result.arrivals[i].at;
    result.arrivals[i] = frames[queue][next[queue]++];
    result.arrivals[i].at = at;
  }
}

}  // namespace

TEST_CASE("Order, weights and overhead of a scheduler", "[switchtest]") {
  const SwitchReport report = test::run_test(test::set_v6(), test::four_ports(), "scheduler");
  CHECK(test::word_of(report, "order") == "56 > 48 > 0, 8, 16, 26");
  test::check_weights(report, {{0, 1}, {8, 2}, {16, 4}, {26, 1}});
  for (const auto& [dscp, share] : std::map<unsigned, double>{{0, 12.5}, {8, 25}, {16, 50}, {26, 12.5}})
    test::check_contains(test::of_queue(report, "share", dscp), share, 0.5);
  CHECK(test::of_queue(report, "weights", 48).status == Status::kAbsent);
  CHECK(test::of_queue(report, "weights", 56).status == Status::kAbsent);
  CHECK(test::word_of(report, "mode") == "DWRR");
  test::check_contains(test::figure(report, "scheduler", "overhead_bytes"), 24, 1);
  CHECK(test::figure(report, "scheduler", "shaper_gbps").status == Status::kAbsent);
}

TEST_CASE("Switches with one queue have no weights", "[switchtest]") {
  const auto network =
      GENERATE(test::set_v1(), test::set_v2(), test::set_v3(), test::set_v5(), test::set_v7());
  const SwitchReport report = test::run_test(network, test::four_ports(), "scheduler");
  CHECK(test::word_of(report, "order") == "26");
  for (const char* name : {"mode", "overhead_bytes", "shaper_gbps"})
    CHECK(test::figure(report, "scheduler", name).status == Status::kAbsent);
  CHECK_FALSE(test::has_figure(report, "scheduler", "weights"));
}

TEST_CASE("The scheduler of a PFC switch", "[switchtest]") {
  const SwitchReport report = test::run_test(test::set_v4(), test::four_ports(), "scheduler");
  CHECK(test::word_of(report, "order") == "48 > 0, 26");
  test::check_weights(report, {{0, 1}, {26, 1}});
  CHECK(test::word_of(report, "mode") == "DWRR");
}

TEST_CASE("Strict priorities", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v6();
  fabric::use_priorities(network.switches[0], 8);
  const SwitchReport report = test::run_test(network, test::four_ports(), "scheduler");
  CHECK(test::word_of(report, "order") == "56 > 48 > 40 > 32 > 26 > 16 > 8 > 0");
  CHECK(test::word_of(report, "mode") == "strict");
  CHECK(test::figure(report, "scheduler", "overhead_bytes").status == Status::kAbsent);
}

TEST_CASE("Random weights and priorities are found", "[switchtest]") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Rng rng(seed);
    fabric::NetworkConfig network = test::set_v6();
    for (auto& link : network.links) link.delay = 50 * kNanosecond + rng.below(5 * kMicrosecond);
    auto& queues = network.switches[0].queues;
    for (const std::size_t q : {0U, 1U, 2U}) queues[q].weight = 1 + static_cast<std::uint32_t>(rng.below(6));
    queues[3].weight = 0;
    queues[6].weight = seed == 2 ? 0 : 3;
    INFO("seed " << seed);
    const SwitchReport report = test::run_test(network, test::four_ports(), "scheduler");
    CHECK(test::word_of(report, "order") ==
          (seed == 2 ? "56 > 48 > 26 > 0, 8, 16" : "56 > 26 > 0, 8, 16, 48"));
    std::map<unsigned, double> weights{{0, queues[0].weight}, {8, queues[1].weight}, {16, queues[2].weight}};
    if (seed != 2) weights[48] = queues[6].weight;
    double least = 100;
    for (const auto& [dscp, weight] : weights) least = std::min(least, weight);
    for (const auto& [dscp, weight] : weights)
      test::check_contains(test::of_queue(report, "weights", dscp), weight / least, 0.02 * weight / least);
    test::check_contains(test::figure(report, "scheduler", "overhead_bytes"), 24, 2);
  }
}

TEST_CASE("A small memory makes weights less exact", "[switchtest]") {
  fabric::NetworkConfig network = test::two_queues(3);
  network.switches[0].buffer = 256 * test::kKiB;
  const SwitchReport report = test::run_test(network, test::four_ports(), "scheduler");
  const Figure& weight = test::of_queue(report, "weights", 26);
  test::check_contains(weight, 3, 0.2);
  CHECK(*weight.high - *weight.low > 0.1);
  network.switches[0].buffer = 36 * test::kKiB;
  const SwitchReport tiny = test::run_test(network, test::four_ports(), "scheduler");
  test::check_contains(test::of_queue(tiny, "weights", 26), 3, 1);
  test::check_contains(test::figure(tiny, "scheduler", "overhead_bytes"), 24, 50);
  network.switches[0].buffer = 24 * test::kKiB;
  const SwitchReport unknown = test::run_test(network, test::four_ports(), "scheduler");
  CHECK(test::test_report(unknown, "scheduler").status == Status::kUnresolvable);
}

TEST_CASE("Two senders show the scheduler of a switch that obeys no pauses", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v6();
  network.links[3].flow_control = fabric::PauseMode::kOff;
  const SwitchReport report = test::run_test(network, test::four_ports(), "scheduler");
  CHECK(test::word_of(report, "order") == "56 > 48 > 0, 8, 16, 26");
  test::check_weights(report, {{0, 1}, {8, 2}, {16, 4}, {26, 1}});
  CHECK(test::word_of(report, "mode") == "DWRR");
  test::check_contains(test::figure(report, "scheduler", "overhead_bytes"), 24, 1);
  CHECK_FALSE(test::has_figure(report, "scheduler", "share"));
}

TEST_CASE("One sender cannot see the scheduler of a switch that obeys no pauses", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v6();
  network.links[3].flow_control = fabric::PauseMode::kOff;
  Settings settings;
  settings.roles.d = 3;
  const SwitchReport report = test::run_test(network, settings, "scheduler");
  CHECK(test::test_report(report, "scheduler").status == Status::kUnresolvable);
  CHECK(test::test_report(report, "scheduler").figures.empty());
}

TEST_CASE("Weights that count frames are told apart from those that count bytes", "[switchtest]") {
  const std::uint64_t weight = GENERATE(1U, 3U);
  test::AlteredRig rig(test::two_queues(2));
  rig.alter = [&](const Trial& trial, TrialResult& result) {
    if (trial.kinds.size() == 2) make_wrr(result, weight);
  };
  const SwitchReport report = run_tests(rig, test::four_ports(), {"scheduler"});
  CHECK(test::word_of(report, "mode") == "WRR");
  CHECK(test::figure(report, "scheduler", "overhead_bytes").status == Status::kAbsent);
}

TEST_CASE("A lapsed freeze and void trials spoil the scheduler test", "[switchtest]") {
  test::AlteredRig rig(test::two_queues(2));
  bool spoil = false, void_trial = false;
  rig.alter = [&](const Trial& trial, TrialResult& result) {
    // The condition excludes the trials of the test `dscp`, which runs first and has other sources.
    if (spoil && trial.sources.size() == 1 && trial.sources[0].count >= 2'000) {
      if (void_trial) result.void_reason = "of the test";
      for (Arrival& a : result.arrivals) a.at = std::min<Time>(a.at, 1);
    }
  };
  spoil = void_trial = true;
  const SwitchReport failed = run_tests(rig, test::four_ports(), {"scheduler"});
  CHECK(test::test_report(failed, "scheduler").status == Status::kInconclusive);
  void_trial = false;
  const SwitchReport lapsed = run_tests(rig, test::four_ports(), {"scheduler"});
  CHECK(test::test_report(lapsed, "scheduler").status == Status::kInconclusive);
  CHECK(test::test_report(lapsed, "scheduler").reason.find("had paused") != std::string::npos);
}

TEST_CASE("Rate limits of the port and of a queue", "[switchtest]") {
  test::AlteredRig rig(test::two_queues(2));
  bool whole_port = true;
  // Imitate a limit of 2 Gb/s: the frames take five times as long to leave.
  rig.alter = [&](const Trial& trial, TrialResult& result) {
    if (result.arrivals.size() < 1'000) return;
    const Time first = result.arrivals.front().at;
    const bool limited = whole_port || (trial.kinds.size() == 1 && trial.kinds[0].dscp == 26);
    for (Arrival& a : result.arrivals)
      if (limited) a.at = first + 5 * (a.at - first);
  };
  const SwitchReport port = run_tests(rig, test::four_ports(), {"scheduler"});
  test::check_contains(test::figure(port, "scheduler", "shaper_gbps"), 2, 0.01);
  test::check_weights(port, {{0, 1}, {26, 2}});
  whole_port = false;
  const SwitchReport queue = run_tests(rig, test::four_ports(), {"scheduler"});
  test::check_contains(test::of_queue(queue, "shaper_gbps", 26), 2, 0.01);
  // This rig gives the limited queue more than its limit while both queues send. No real scheduler does this,
  // so the weight must be reported as unresolvable.
  CHECK(test::of_queue(queue, "weights", 26).status == Status::kUnresolvable);
  CHECK(test::of_queue(queue, "weights", 26).reason.find("rate limit") != std::string::npos);
}
