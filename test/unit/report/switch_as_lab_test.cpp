// SPDX-License-Identifier: BSD-3-Clause
#include "report/switch_as_lab.hpp"

#include "config/load.hpp"
#include "lab_round_trip.hpp"
#include "random_switch.hpp"
#include "switch_sets.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

constexpr const char* kTests = "dscp,mtu,latency,buffer,cells,ecn,codepoints,xoff,scheduler";

Settings settings_of(Effort effort = Effort::kQuick) {
  Settings out = test::four_ports();
  out.effort = effort;
  out.sizes = {1026, 4174};
  return out;
}

/// Returns a report of the test `headroom`. The guaranteed headroom in it is `frames` frames of 4174 bytes,
/// each counted without its FCS.
TestReport headroom_report(unsigned frames) {
  constexpr double kLength = 4170;
  return {.name = "headroom",
          .title = "",
          .figures = {{.name = "guaranteed_bytes",
                       .value = frames * kLength,
                       .low = frames * kLength,
                       .high = (frames + 1) * kLength - 1,
                       .unit = "B"}}};
}

/// Measures a switch, writes it as a configuration, measures the written switch, and checks that both results
/// agree.
test::WrittenSwitch round_trip(const fabric::NetworkConfig& network, const std::string& tests,
                               const std::vector<TestReport>& more = {}, Effort effort = Effort::kQuick) {
  const test::WrittenSwitch first = test::write_switch(network, settings_of(effort), tests, more);
  const test::WrittenSwitch second = test::write_again(first, tests, more);
  CHECK(test::differences(first.run.report, second.run.report, true) == std::vector<std::string>{});
  CHECK(first.text == second.text);
  return first;
}

void check_links(const test::WrittenSwitch& written, const fabric::NetworkConfig& network) {
  for (std::size_t i = 0; i < network.links.size(); ++i) {
    CHECK(written.link(i).rate == network.links[i].rate);
    CHECK(written.link(i).delay == network.links[i].delay);
    CHECK(written.link(i).flow_control == network.links[i].flow_control);
  }
}

}  // namespace

TEST_CASE("A plain switch comes back", "[report]") {
  const test::WrittenSwitch written = round_trip(test::set_v1(), kTests);
  CHECK(written.dut().buffer == test::kMiB);
  CHECK(written.dut().port_limit == 0);
  CHECK(written.dut().dynamic_alpha == 0);
  CHECK_FALSE(written.dut().queues[0].ecn.enabled);
  check_links(written, test::set_v1());
}

TEST_CASE("A limit for each port comes back", "[report]") {
  fabric::NetworkConfig network = test::set_v2();
  const test::WrittenSwitch written = round_trip(network, kTests);
  CHECK(written.dut().port_limit == 512 * test::kKiB);
  CHECK(written.dut().queues[0].ecn.kmin == 40 * test::kKiB);
  CHECK(written.dut().queues[0].ecn.kmax == 160 * test::kKiB);
  CHECK(written.dut().buffer >= 2 * written.dut().port_limit);
  network.links[2].flow_control = fabric::PauseMode::kOff;  // no test can show that C obeys pauses
  check_links(written, network);
}

TEST_CASE("A dynamic threshold and a marking ramp come back", "[report]") {
  const test::WrittenSwitch written = round_trip(test::set_v3(), kTests, {}, Effort::kStandard);
  CHECK(written.dut().buffer == 2 * test::kMiB);
  CHECK(written.dut().dynamic_alpha == 256);
  const fabric::EcnMarking &ecn = written.dut().queues[0].ecn,
                           truth = test::set_v3().switches[0].queues[0].ecn;
  CHECK(ecn.kmin == truth.kmin);
  CHECK(ecn.kmax == truth.kmax);
  CHECK((ecn.pmax - truth.pmax) <= 1);  // 10 % in units of 2^-32 is not a whole number
  check_links(written, test::set_v3());
}

TEST_CASE("A lossless class comes back", "[report]") {
  const test::WrittenSwitch written = round_trip(test::set_v4(), kTests, {headroom_report(7)});
  const fabric::SwitchConfig &dut = written.dut(), truth = test::set_v4().switches[0];
  CHECK(dut.buffer == truth.buffer);
  CHECK(dut.pause.xoff == truth.pause.xoff);
  CHECK(dut.pause.xon == truth.pause.xon);
  CHECK(dut.pause.headroom == truth.pause.headroom);
  CHECK(dut.dscp_to_queue == truth.dscp_to_queue);
  for (std::size_t q = 0; q < fabric::kQueues; ++q) {
    CHECK(dut.queues[q].lossless == truth.queues[q].lossless);
    CHECK(dut.queues[q].weight == truth.queues[q].weight);
    CHECK(dut.queues[q].ecn.kmin == truth.queues[q].ecn.kmin);
    CHECK(dut.queues[q].ecn.kmax == truth.queues[q].ecn.kmax);
  }
  check_links(written, test::set_v4());
}

TEST_CASE("Long links with pauses come back", "[report]") {
  const test::WrittenSwitch written = round_trip(test::set_v5(), kTests, {headroom_report(1)});
  const fabric::PauseThresholds &pause = written.dut().pause, truth = test::set_v5().switches[0].pause;
  CHECK(pause.xoff == truth.xoff);
  CHECK(pause.xon == truth.xon);
  CHECK(pause.quanta == truth.quanta);
  CHECK(pause.headroom == truth.headroom);
  check_links(written, test::set_v5());
}

TEST_CASE("Weights and strict priorities come back", "[report]") {
  const test::WrittenSwitch written = round_trip(test::set_v6(), "dscp,latency,scheduler");
  const fabric::SwitchConfig truth = test::set_v6().switches[0];
  CHECK(written.dut().dscp_to_queue == truth.dscp_to_queue);
  for (std::size_t q = 0; q < fabric::kQueues; ++q)
    CHECK(written.dut().queues[q].weight == truth.queues[q].weight);
  CHECK(written.dut().scheduler.overhead == truth.scheduler.overhead);
  check_links(written, test::set_v6());
}

TEST_CASE("A switch that forges CNPs comes back", "[report]") {
  const test::WrittenSwitch written = round_trip(test::set_v7(), "latency,buffer,dcqcn");
  CHECK(written.dut().forge.threshold == test::set_v7().switches[0].forge.threshold);
  CHECK(written.dut().forge.interval == 50 * kMicrosecond);
  check_links(written, test::set_v7());
}

TEST_CASE("Random switches come back", "[report][long]") {
  constexpr std::uint64_t kSwitches = 12;
  constexpr std::uint64_t kFrame = 4170;
  for (std::uint64_t seed = 1; seed <= kSwitches; ++seed) {
    INFO("seed " << seed);
    const fabric::NetworkConfig network = test::random_switch(seed);
    const auto frames = static_cast<unsigned>(network.switches[0].pause.headroom / kFrame);
    // If D cannot pause the switch, the test `ecn` overestimates Pmax of marking at dequeue. Pmax would then
    // rise in each round trip.
    const std::string tests = network.links[3].flow_control == fabric::PauseMode::kOff
                                  ? "dscp,latency,buffer,xoff"
                                  : "dscp,latency,buffer,ecn,xoff";
    const test::WrittenSwitch first =
        test::write_switch(network, settings_of(), tests, {headroom_report(frames)});
    const test::WrittenSwitch second = test::write_again(first, tests, {headroom_report(frames)});
    CHECK(test::differences(first.run.report, second.run.report, false) == std::vector<std::string>{});
  }
}
