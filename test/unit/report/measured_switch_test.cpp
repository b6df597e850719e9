// SPDX-License-Identifier: BSD-3-Clause
#include "report/measured_switch.hpp"

#include "config/load.hpp"
#include "lab_round_trip.hpp"
#include "report/commented_yaml.hpp"
#include "report/switch_as_lab.hpp"
#include "switch_sets.hpp"

#include <functional>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;
using Catch::Contains;

namespace {

/// Returns a report with four ports and without tests.
SwitchReport empty_report() {
  SwitchReport out;
  out.settings = test::four_ports();
  for (const char* name : {"p0", "p1", "p2", "p3"})
    out.ports.push_back({.name = name, .rate = test::kTenGigabit});
  return out;
}

Figure number(const std::string& name, double low, double high, const std::string& unit,
              const std::map<std::string, std::string>& labels = {}) {
  return {.name = name, .labels = labels, .value = low, .low = low, .high = high, .unit = unit};
}

TestReport pauses_at_d(const char* kind) {
  return {.name = "preflight",
          .title = "",
          .figures = {{.name = "obeys_pauses", .text = kind}, {.name = "sends_pauses", .text = "none"}}};
}

fabric::NetworkConfig with_dut(const std::function<void(fabric::SwitchConfig&)>& change,
                               fabric::NetworkConfig network = test::set_v1()) {
  change(network.switches[0]);
  return network;
}

Settings quick() {
  Settings out = test::four_ports();
  out.effort = Effort::kQuick;
  return out;
}

/// Runs these tests on a switch, writes the result, and runs them on the written switch. Checks that both
/// results agree, and returns the written switch.
fabric::SwitchConfig come_back(const fabric::NetworkConfig& network, const std::string& tests) {
  const test::WrittenSwitch first = test::write_switch(network, quick(), tests);
  const test::WrittenSwitch second = test::write_again(first, tests);
  CHECK(test::differences(first.run.report, second.run.report, false) == std::vector<std::string>{});
  return first.dut();
}

}  // namespace

TEST_CASE("Names of devices become names of switches", "[report]") {
  using report::switch_identifier;
  CHECK(switch_identifier("ACME 100 (rev. B)") == "ACME-100-rev-B");
  CHECK(switch_identifier("7050X") == "switch-7050X");
  CHECK(switch_identifier(" ?! ") == "measured");
  CHECK(switch_identifier("") == "measured");
}

TEST_CASE("A text that YAML could take for something else is quoted", "[report]") {
  CHECK(report::yaml_flow("tor-1") == "tor-1");
  CHECK(report::yaml_flow("null") == "\"null\"");
  CHECK(report::yaml_flow("a: b") == "\"a: b\"");
  CHECK(report::yaml_flow("") == "\"\"");
  CHECK(report::yaml_flow({{"A", "p0"}, {"n", {1, 2}}}) == "{A: p0, n: [1, 2]}");
}

TEST_CASE("Without any test, a switch can be written, and nothing is known of it", "[report]") {
  const test::WrittenSwitch written = test::write_report(empty_report());
  CHECK(written.dut().buffer == 16 * test::kMiB);
  for (const char* line :
       {"# buffer: unknown: the test buffer did not run", "# ecn: unknown: the test ecn did",
        "# mtu: unknown: the test mtu did not run", "# delay of links: unknown: the test la"})
    CHECK_THAT(written.text, Contains(line));
}

TEST_CASE("A text from outside cannot end a comment", "[report]") {
  test::WrittenSwitch written = test::write_report(empty_report());
  written.run.device = "x\nnetwork: 3\r\x01\"\xff";
  written.run.report.tests.push_back(
      {.name = "ecn", .title = "", .status = Status::kInconclusive, .reason = "one\ntwo: 2"});
  const std::string text = report::switch_as_lab(written.run);
  CHECK_THAT(text, Contains("# ecn: unknown: one two: 2\n"));
  CHECK(config::load_switch_test_text(text, "hostile").network.switches[0].name == "x-network-3");
}

TEST_CASE("A switch has another name than each port", "[report]") {
  CHECK(report::measured_network(empty_report(), "p1").network.switches[0].name == "p1-switch");
}

TEST_CASE("A switch that obeys PFC and sends none has an unused lossless queue", "[report]") {
  SwitchReport report = empty_report();
  report.tests.push_back(pauses_at_d("PFC"));
  const test::WrittenSwitch written = test::write_report(report);
  CHECK(written.link(3).flow_control == fabric::PauseMode::kPfc);
  CHECK(written.link(0).flow_control == fabric::PauseMode::kOff);
  CHECK(written.dut().queues[7].lossless);
}

TEST_CASE("With the delay of the cables, the rest is the pipeline", "[report]") {
  SwitchReport report = empty_report();
  report.tests.push_back({.name = "latency",
                          .title = "",
                          .figures = {number("fixed_ns", 1590, 1610, "ns"),
                                      {.name = "forwarding", .text = "store-and-forward"}}});
  const report::MeasuredNetwork with = report::measured_network(report, "tor", 500 * kNanosecond);
  CHECK(with.network.links[0].delay == 500 * kNanosecond);
  CHECK(with.network.switches[0].times.pipeline == 600 * kNanosecond);
  const report::MeasuredNetwork without = report::measured_network(report, "tor");
  CHECK(without.network.links[0].delay == 800 * kNanosecond);
  CHECK(without.network.switches[0].times.pipeline == 0);
}

TEST_CASE("Response to pauses and headroom are read if they were measured", "[report]") {
  SwitchReport report = empty_report();
  report.tests.push_back(
      {.name = "obedience", .title = "", .figures = {number("response_ns", 690, 712, "ns")}});
  report.tests.push_back(
      {.name = "xoff", .title = "", .figures = {number("xoff_bytes", 262'093, 262'166, "B")}});
  report.tests.push_back(
      {.name = "headroom", .title = "", .figures = {number("guaranteed_bytes", 29'190, 33'359, "B")}});
  const fabric::SwitchConfig dut = report::measured_network(report, "tor").network.switches[0];
  CHECK(dut.times.pause_response == 700 * kNanosecond);
  CHECK(dut.pause.headroom == 32 * test::kKiB);
  CHECK(dut.pause.xoff == 256 * test::kKiB);
}

TEST_CASE("Weights become whole numbers", "[report]") {
  SwitchReport report = empty_report();
  report.tests.push_back({.name = "scheduler",
                          .title = "",
                          .figures = {{.name = "order", .text = "26, 8, 16"},
                                      number("weights", 1, 1, "", {{"queue", "26"}}),
                                      number("weights", 1.49, 1.51, "", {{"queue", "8"}}),
                                      number("weights", 2.49, 2.52, "", {{"queue", "16"}})}});
  const fabric::SwitchConfig dut = report::measured_network(report, "tor").network.switches[0];
  CHECK(dut.queues[dut.dscp_to_queue[26]].weight == 2);
  CHECK(dut.queues[dut.dscp_to_queue[8]].weight == 3);
  CHECK(dut.queues[dut.dscp_to_queue[16]].weight == 5);
}

TEST_CASE("Memory in cells comes back", "[report]") {
  const auto change = [](auto& d) { d.memory = {.cell = 208, .cell_overhead = 16}; };
  const test::WrittenSwitch written =
      test::write_switch(with_dut(change, test::set_v5()), quick(), "buffer,cells,xoff");
  CHECK(written.dut().memory.cell == 208);
  CHECK(written.dut().memory.cell_overhead == 16);
  CHECK(written.dut().buffer == test::kMiB);
  CHECK(written.dut().pause.xoff == 128 * test::kKiB);
  CHECK(written.dut().pause.xon == 32 * test::kKiB);
  CHECK(test::write_again(written, "buffer,cells,xoff").text == written.text);
}

TEST_CASE("The longest frame comes back", "[report]") {
  const fabric::SwitchConfig dut = come_back(with_dut([](auto& d) {
                                               d.mtu = 9000;
                                               d.mtu_counts_tag = true;
                                             }),
                                             "mtu");
  CHECK(dut.mtu == 9000);
  CHECK(dut.mtu_counts_tag);
}

TEST_CASE("A watchdog comes back", "[report]") {
  using Action = fabric::WatchdogConfig::Action;
  const fabric::WatchdogConfig truth{100 * kMillisecond, 150 * kMillisecond, Action::kForward};
  const fabric::SwitchConfig dut = come_back(with_dut([&](auto& d) { d.watchdog = truth; }), "buffer,storm");
  CHECK(dut.watchdog.detection == truth.detection);
  CHECK(dut.watchdog.restoration == truth.restoration);
  CHECK(dut.watchdog.action == truth.action);
}

TEST_CASE("A dynamic XOFF and times come back", "[report]") {
  const auto change = [](auto& d) {
    d.pause = {.xon = fabric::PauseThresholds::kNoXon,
               .quanta = 500,
               .xoff_alpha = 64,
               .xon_offset = 16 * test::kKiB};
    d.times.pause_generation = 700 * kNanosecond;
  };
  const fabric::SwitchConfig dut = come_back(with_dut(change, test::set_v5()), "buffer,xoff");
  CHECK(dut.pause.xoff_alpha == 64);
  CHECK(dut.pause.xon_offset == 16 * test::kKiB);
  CHECK(dut.pause.quanta == 500);
  CHECK(dut.times.pause_generation == 700 * kNanosecond);
}

TEST_CASE("Packet weights, rates and trust in PCPs come back", "[report]") {
  const auto change = [](auto& d) {
    d.scheduler.by_packets = true;
    d.scheduler.port_rate = test::kTenGigabit * 4 / 10;
    d.trust_pcp = true;
  };
  const fabric::SwitchConfig dut = come_back(with_dut(change, test::set_v6()), "dscp,scheduler");
  CHECK(dut.scheduler.by_packets);
  CHECK(dut.scheduler.port_rate == test::kTenGigabit * 4 / 10);
  CHECK(dut.trust_pcp);
}

TEST_CASE("A cut-through switch comes back", "[report]") {
  const fabric::SwitchConfig dut =
      come_back(with_dut([](auto& d) { d.times.cut_through = true; }), "latency");
  CHECK(dut.times.cut_through);
}

TEST_CASE("Boards of the lab send through a measured switch", "[report]") {
  const test::WrittenSwitch written = test::write_switch(test::set_v1(), quick(), "buffer");
  const std::string board = ", qps: [{to: p3, traffic: {message_size: 64KiB}}]}";
  std::string boards = "boards=[";
  int host = 1;
  for (const char* name : {"p0", "p1", "p2"})
    boards += std::string("{name: ") + name + ", ip: 10.0.0." + std::to_string(host++) + "/24" + board + ", ";
  const config::LabConfig lab = config::load_lab_text(
      written.text, "lab", {"run.duration=10ms", boards + "]", "receivers=[{name: p3, ip: 10.0.0.9/24}]"});
  CHECK(lab.run.boards.size() == 3);
  CHECK(lab.network.switches[0].buffer == test::kMiB);
}
