// SPDX-License-Identifier: BSD-3-Clause
#include "altered_rig.hpp"
#include "base/rng.hpp"
#include "run_test.hpp"
#include "switch_sets.hpp"

#include <algorithm>
#include <array>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

using DscpQueues = std::array<std::uint8_t, 64>;

/// Returns the result that the test must find for a configuration. In this result, each queue has the number
/// of its lowest DSCP.
DscpQueues lowest_dscps(const fabric::SwitchConfig& dut) {
  DscpQueues out{};
  for (std::size_t d = 0; d < out.size(); ++d) {
    const auto* const first =
        std::find(dut.dscp_to_queue.begin(), dut.dscp_to_queue.end(), dut.dscp_to_queue[d]);
    out[d] = static_cast<std::uint8_t>(first - dut.dscp_to_queue.begin());
  }
  return out;
}

void check_dscp_groups(const fabric::NetworkConfig& network, const Settings& settings = test::four_ports()) {
  const SwitchReport report = test::run_test(network, settings, "dscp");
  const DscpQueues expected = lowest_dscps(network.switches[0]);
  REQUIRE(report.findings.queue_of_dscp);
  CHECK(*report.findings.queue_of_dscp == expected);
  for (std::size_t d = 0; d < expected.size(); ++d)
    CHECK(test::figure(report, "dscp", "map", {{"dscp", std::to_string(d)}}).value == expected[d]);
  DscpQueues distinct = expected;
  std::sort(distinct.begin(), distinct.end());
  const auto queues = std::unique(distinct.begin(), distinct.end()) - distinct.begin();
  CHECK(test::figure(report, "dscp", "queues").value == static_cast<double>(queues));
  CHECK(test::test_report(report, "dscp").status == Status::kMeasured);
}

double pcp_queue(const SwitchReport& report, unsigned pcp) {
  return test::figure(report, "dscp", "pcp_map", {{"pcp", std::to_string(pcp)}}).value.value();
}

}  // namespace

TEST_CASE("A switch with one queue has one group of DSCPs", "[switchtest]") {
  check_dscp_groups(test::set_v1());
  check_dscp_groups(test::set_v2());
  check_dscp_groups(test::set_v3());
  check_dscp_groups(test::set_v5());
  check_dscp_groups(test::set_v7());
}

TEST_CASE("Groups are exact with weights and strict priorities", "[switchtest]") {
  check_dscp_groups(test::set_v6());
  const SwitchReport report = test::run_test(test::set_v6(), test::four_ports(), "dscp");
  const auto list = [&](const char* queue) {
    return test::figure(report, "dscp", "dscps", {{"queue", queue}}).text;
  };
  CHECK(list("0") == "0-7, 9-15, 17-25, 27-47, 49-55, 57-63");
  CHECK(list("26") == "26");
  // The tagged frames have DSCP 26. This switch selects the queue by DSCP, so the PCP makes no difference.
  CHECK(test::figure(report, "dscp", "pcps", {{"queue", "26"}}).text == "0-7");
  for (unsigned pcp = 0; pcp < 8; ++pcp) CHECK(pcp_queue(report, pcp) == 26);
}

TEST_CASE("PFC priorities tell DSCPs apart", "[switchtest]") {
  check_dscp_groups(test::set_v4());
  const SwitchReport report = test::run_test(test::set_v4(), test::four_ports(), "dscp");
  CHECK(test::figure(report, "dscp", "pfc_priority", {{"queue", "26"}}).value == 3.0);
  CHECK(test::figure(report, "dscp", "pfc_priority", {{"queue", "48"}}).value == 6.0);
  CHECK(test::figure(report, "dscp", "pfc_priority", {{"queue", "0"}}).value == 0.0);
}

TEST_CASE("A switch that trusts PCP has separate queues for tagged frames", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v6();
  network.switches[0].trust_pcp = true;
  network.switches[0].pcp_to_queue = {0, 1, 2, 3, 3, 5, 6, 7};
  const SwitchReport report = test::run_test(network, test::four_ports(), "dscp");
  const std::array<double, 8> expected{0, 8, 16, 26, 26, 64 + 5, 48, 56};
  for (unsigned pcp = 0; pcp < 8; ++pcp) CHECK(pcp_queue(report, pcp) == expected[pcp]);
  CHECK(test::figure(report, "dscp", "queues").value == 6.0);
  CHECK(test::figure(report, "dscp", "pcps", {{"queue", "26"}}).text == "3-4");
  CHECK(test::figure(report, "dscp", "pcps", {{"queue", "69"}}).text == "5");
}

TEST_CASE("Random maps and weights are found", "[switchtest]") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Rng rng(seed);
    fabric::NetworkConfig network = test::set_v6();
    fabric::SwitchConfig& dut = network.switches[0];
    for (auto& queue : dut.dscp_to_queue) queue = static_cast<std::uint8_t>(rng.below(8));
    for (auto& queue : dut.queues) queue.weight = static_cast<std::uint32_t>(rng.below(20));
    if (seed == 2) network.links[3].flow_control = fabric::PauseMode::kPfc;
    if (seed == 3) dut.port_limit = 64 * test::kKiB;
    INFO("seed " << seed);
    check_dscp_groups(network);
  }
}

TEST_CASE("Without pauses, an overload shows the groups", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v6();
  network.links[3].flow_control = fabric::PauseMode::kOff;
  check_dscp_groups(network);
  network.switches[0].buffer = 128 * test::kKiB;
  check_dscp_groups(network);
  // If A is faster than the receiver, no second sender is needed.
  for (std::size_t i = 0; i < 3; ++i) network.links[i].rate *= 2;
  check_dscp_groups(network, {.roles = {.a = 0, .d = 3}});
}

TEST_CASE("Two equal ports cannot tell queues apart without pauses", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v6();
  network.links[3].flow_control = fabric::PauseMode::kOff;
  const SwitchReport report = test::run_test(network, {.roles = {.a = 0, .d = 3}}, "dscp");
  const TestReport& dscp = test::test_report(report, "dscp");
  CHECK(dscp.status == Status::kUnresolvable);
  CHECK(dscp.reason.find("overload") != std::string::npos);
  CHECK(dscp.figures.empty());
  CHECK_FALSE(report.findings.queue_of_dscp);
}

TEST_CASE("A switch that forwards nothing has no groups", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v6();
  network.links[0].a_to_b.drop = std::uint64_t{1} << 32;
  const SwitchReport report = test::run_test(network, test::four_ports(), "dscp");
  const TestReport& dscp = test::test_report(report, "dscp");
  CHECK(dscp.status == Status::kUnresolvable);
  CHECK(dscp.reason == "the switch does not forward these frames");
}

TEST_CASE("Groups need valid trials in which no frame escapes", "[switchtest]") {
  const auto run_with = [](bool escape) {
    test::AlteredRig rig(test::set_v6());
    rig.as = RigKind::kRings;
    rig.alter = [&](const Trial& trial, TrialResult& result) {
      // Trials of this test that fill a queue have at least two trains, unlike those of the preflight.
      if (trial.freezes.empty() || trial.sources.size() < 2) return;
      if (escape) {
        result.arrivals.front().at = 1;
      } else {
        result.void_reason = "the sender was late";
      }
    };
    return run_tests(rig, test::four_ports(), {"dscp"});
  };
  const SwitchReport late = run_with(false);
  CHECK(test::test_report(late, "dscp").status == Status::kInconclusive);
  CHECK(test::test_report(late, "dscp").reason.find("the sender was late") != std::string::npos);
  const SwitchReport escaped = run_with(true);
  CHECK(test::test_report(escaped, "dscp").status == Status::kUnresolvable);
  CHECK(test::test_report(escaped, "dscp").reason.find("although port D had paused") != std::string::npos);
}

TEST_CASE("Frames that are received in one burst keep their order", "[switchtest]") {
  test::AlteredRig rig(test::set_v6());
  rig.as = RigKind::kRings;
  rig.alter = [](const Trial&, TrialResult& result) {
    // A worker receives all frames of 20 µs at once, and gives them the same time stamp.
    constexpr Time kTurn = 20 * kMicrosecond;
    for (Arrival& a : result.arrivals) a.at = (a.at + kTurn - 1) / kTurn * kTurn;
  };
  const SwitchReport report = run_tests(rig, test::four_ports(), {"dscp"});
  REQUIRE(report.findings.queue_of_dscp);
  CHECK(*report.findings.queue_of_dscp == lowest_dscps(test::set_v6().switches[0]));
}

TEST_CASE("A DSCP whose frames the switch drops has no queue", "[switchtest]") {
  test::AlteredRig rig(test::set_v6());
  rig.alter = [&](const Trial& trial, TrialResult& result) {
    const auto dropped = [&](std::uint16_t k) { return trial.kinds[k].dscp == 8; };
    for (std::uint16_t k = 0; k < result.kinds.size(); ++k)
      if (dropped(k)) result.kinds[k].arrived = 0;
    std::erase_if(result.arrivals, [&](const Arrival& a) { return dropped(a.kind); });
  };
  const SwitchReport report = run_tests(rig, test::four_ports(), {"dscp"});
  const Figure& none = test::figure(report, "dscp", "map", {{"dscp", "8"}});
  CHECK(none.status == Status::kAbsent);
  CHECK_FALSE(none.value);
  const Figure& queues = test::figure(report, "dscp", "queues");
  CHECK(queues.status == Status::kBounded);
  CHECK_FALSE(queues.high);
  REQUIRE(report.findings.queue_of_dscp);
  CHECK((*report.findings.queue_of_dscp)[8] == Findings::kNoQueue);
}
