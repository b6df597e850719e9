// SPDX-License-Identifier: BSD-3-Clause
#include "altered_rig.hpp"
#include "closed_forms.hpp"
#include "random_switch.hpp"
#include "run_test.hpp"
#include "score.hpp"
#include "switch_sets.hpp"
#include "switchtest/runner.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

SwitchReport xoff_of(const fabric::NetworkConfig& network) {
  return test::run_test(network, test::four_ports(), "xoff");
}

Figure xoff_figure(const SwitchReport& report, const char* name) {
  return test::figure(report, "xoff", name);
}

}  // namespace

TEST_CASE("A lossless class is paused and resumed at its thresholds", "[switchtest]") {
  const SwitchReport report = xoff_of(test::set_v4());
  const Figure& xoff = xoff_figure(report, "xoff_bytes");
  CHECK(*xoff.low <= 256 * 1024);
  CHECK(*xoff.high >= 256 * 1024);
  CHECK(*xoff.high - *xoff.low < 74);
  const Figure& xon = xoff_figure(report, "xon_bytes");
  CHECK(*xon.low == 195'990);
  CHECK(*xon.high == 200'159);
  CHECK(xoff_figure(report, "xon_by_frame").text == "yes");
  CHECK(*xoff_figure(report, "quanta").value == 65'535);
  CHECK(*xoff_figure(report, "refresh_us").value == Approx(1677.7).margin(0.1));
  CHECK(xoff_figure(report, "classes").text == "3");
  CHECK(*xoff_figure(report, "generation_ns").value == Approx(0).margin(0.1));
  CHECK(xoff_figure(report, "threshold").text == "fixed");
  CHECK(xoff_figure(report, "alpha").status == Status::kAbsent);
  REQUIRE(report.findings.pausing);
  CHECK(report.findings.pausing->xon == 195'990);
}

TEST_CASE("Long links with pauses have other thresholds", "[switchtest]") {
  const SwitchReport report = xoff_of(test::set_v5());
  const Figure& xoff = xoff_figure(report, "xoff_bytes");
  CHECK(*xoff.low <= 128 * 1024);
  CHECK(*xoff.high >= 128 * 1024);
  CHECK(*xoff_figure(report, "xon_bytes").low == 7 * 4170);
  CHECK(*xoff_figure(report, "quanta").value == 1000);
  CHECK(*xoff_figure(report, "refresh_us").value == Approx(25.6).margin(0.1));
  CHECK(xoff_figure(report, "classes").text == "all");
}

TEST_CASE("A switch that pauses no sender has no thresholds", "[switchtest]") {
  for (const auto& network : {test::set_v1(), test::set_v2(), test::set_v6()}) {
    const SwitchReport report = xoff_of(network);
    for (const char* name : {"xoff_bytes", "xon_bytes", "quanta", "refresh_us", "threshold"})
      CHECK(xoff_figure(report, name).status == Status::kAbsent);
    CHECK_FALSE(report.findings.pausing);
  }
  fabric::NetworkConfig deaf = test::set_v1();
  for (auto& link : deaf.links) link.flow_control = fabric::PauseMode::kOff;
  CHECK(test::test_report(xoff_of(deaf), "xoff").status == Status::kUnresolvable);
}

TEST_CASE("A dynamic threshold of pauses falls with the free memory", "[switchtest]") {
  const double alpha = GENERATE(0.25, 0.5, 1.0);
  fabric::NetworkConfig network = test::set_v4();
  fabric::PauseThresholds& pause = network.switches[0].pause;
  pause.xoff = 0;
  pause.xoff_alpha = static_cast<std::uint32_t>(256 * alpha);
  pause.xon = fabric::PauseThresholds::kNoXon;
  pause.xon_offset = 16 * 1024;
  const SwitchReport report = xoff_of(network);
  CHECK(xoff_figure(report, "threshold").text == "dynamic");
  const Figure& found = xoff_figure(report, "alpha");
  CHECK(*found.low <= alpha);
  CHECK(*found.high >= alpha);
  CHECK(*found.value == Approx(alpha).epsilon(0.05));
}

TEST_CASE("The time to a pause frame is that of the switch", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v4();
  network.switches[0].times.pause_generation = 1500 * kNanosecond;
  network.switches[0].times.pipeline = 700 * kNanosecond;
  const SwitchReport report = xoff_of(network);
  const Figure& found = xoff_figure(report, "generation_ns");
  CHECK(*found.value == Approx(1500).margin(0.1));
}

TEST_CASE("Cells make small frames useless for XOFF", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v4();
  network.switches[0].memory.cell = 256;
  const SwitchReport report = xoff_of(network);
  const Figure& xoff = xoff_figure(report, "xoff_bytes");
  // XOFF lies at 60.2 frames of 17 cells each, so 61 frames reach it.
  CHECK(*xoff.high - *xoff.low == 4169);
  CHECK(*xoff.high == 61 * 4170);
}

TEST_CASE("Two ports find the thresholds, but not whether they are dynamic", "[switchtest]") {
  fabric::NetworkConfig network = test::set_v4();
  network.stations.resize(2);
  network.links = {network.links[0], network.links[3]};
  network.links[1].a.index = 1;
  const SwitchReport report = test::run_test(network, Settings{}, "xoff");
  CHECK(*xoff_figure(report, "xoff_bytes").low <= 256 * 1024);
  CHECK(xoff_figure(report, "threshold").status == Status::kUnresolvable);
}

TEST_CASE("Void trials make the thresholds inconclusive", "[switchtest]") {
  test::AlteredRig rig(test::set_v4());
  rig.as = RigKind::kPorts;
  rig.alter = [&](const Trial& trial, TrialResult& result) {
    if (trial.freezes.size() == 1 && trial.sources.size() == 1 && trial.sources[0].count == 62)
      result.void_reason = "the receiver missed frames";
  };
  Settings settings = test::four_ports();
  settings.effort = Effort::kQuick;
  CHECK(test::test_report(run_tests(rig, settings, {"xoff"}), "xoff").status == Status::kInconclusive);
}

TEST_CASE("Thresholds of pauses of random switches", "[switchtest]") {
  const Settings settings = test::four_ports();
  test::Score sum;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const fabric::NetworkConfig network = test::random_switch(seed);
    const SwitchReport report = test::run_test(network, settings, "xoff");
    const test::Score one = test::score(report, test::truths_of(network, settings));
    for (const std::string& complaint : one.complaints) UNSCOPED_INFO("seed " << seed << ": " << complaint);
    sum.add(one);
  }
  INFO(sum.values << " values, " << sum.words << " words, " << sum.silent << " silent");
  CHECK(sum.share() >= 0.95);
  CHECK(sum.far == 0);
  CHECK(sum.wrong_class == 0);
  CHECK(sum.values >= 10);
}

TEST_CASE("Pauses of another kind than those that the switch obeys are seen", "[switchtest]") {
  // D uses 802.3x pauses. The senders use PFC, and only for the class of DSCP 24; the settings' DSCP is in
  // another class.
  fabric::NetworkConfig network = test::set_v4();
  fabric::SwitchConfig& dut = network.switches[0];
  dut.dscp_to_queue[26] = 0;
  for (std::uint8_t dscp = 24; dscp < 32; ++dscp)
    if (dscp != 26) dut.dscp_to_queue[dscp] = 3;
  network.links[3].flow_control = fabric::PauseMode::kPause;
  const SwitchReport report = xoff_of(network);
  CHECK(test::figure(report, "preflight", "obeys_pauses").text == "802.3x");
  CHECK(test::figure(report, "preflight", "sends_pauses").text == "PFC");
  CHECK(xoff_figure(report, "classes").text == "3");
  CHECK(xoff_figure(report, "threshold").text == "fixed");
}

TEST_CASE("A DSCP that the switch drops does not hide its obedience", "[switchtest]") {
  test::AlteredRig rig(test::set_v1());
  rig.alter = [](const Trial& trial, TrialResult& result) {
    std::erase_if(result.arrivals, [&](const Arrival& a) { return trial.kinds[a.kind].dscp == 63; });
  };
  const SwitchReport report = run_tests(rig, test::four_ports(), {"xoff"});
  CHECK(test::figure(report, "preflight", "obeys_pauses").text == "802.3x");
  rig.alter = [](const Trial&, TrialResult& result) { result.arrivals.clear(); };
  const SwitchReport deaf = run_tests(rig, test::four_ports(), {"xoff"});
  CHECK(test::figure(deaf, "preflight", "obeys_pauses").text == "none");
}
