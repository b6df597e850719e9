// SPDX-License-Identifier: BSD-3-Clause
#include "lab/part_plan.hpp"

#include "config/load.hpp"
#include "lab/network_load.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;

namespace {

/// Returns a lab with two boards at each of two leaf switches, and a receiver at the spine. `parts` is added
/// to the network, and `link` to the links between switches.
std::string tree(const std::string& parts = "", const std::string& link = "delay: 1us") {
  return R"(
run: {duration: 1ms}
network:
)" + parts +
         R"(
  switches: [{name: leaf, count: 2, buffer: 1MiB}, {name: spine, buffer: 1MiB}]
  links:
    - {ends: [feb-0..feb-1, leaf-0], rate: 10Gb/s}
    - {ends: [feb-2..feb-3, leaf-1], rate: 10Gb/s}
    - {ends: [leaf, spine], rate: 40Gb/s, )" +
         link + R"(}
    - {ends: [spine, daq], rate: 40Gb/s}
boards:
  - {name: feb, count: 4, ip: 10.0.0.1/24, qps: [{to: daq, transport: UC, pmtu: 1024, traffic: {rate: 8Gb/s}}]}
receivers: [{name: daq, ip: 10.0.0.101/24, memory: 1MiB}]
)";
}

lab::PartPlan planned(const std::string& text, std::uint32_t processes) {
  const config::LabConfig config = config::load_lab_text(text, "tree.yaml");
  return lab::plan_parts(config, endpoints::Plans(config.run), processes);
}

/// Returns the error message for a plan that is refused.
std::string refusal(const std::string& text, std::uint32_t processes) {
  try {
    planned(text, processes);
  } catch (const config::ConfigError& e) {
    return e.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the expected load of switches and links follows the traffic", "[parts]") {
  const config::LabConfig config = config::load_lab_text(tree(), "tree.yaml");
  const lab::NetworkLoad load = lab::expected_load(config, endpoints::Plans(config.run));
  const double frames = 1e9 / 1024;  // frames per second of a board that sends 8 Gb/s of payload
  REQUIRE(load.switches.size() == 3);
  // Each frame of two boards counts once for the switch and once for the board.
  CHECK(load.switches[0] == Approx(2 * 2 * frames));
  CHECK(load.switches[1] == Approx(2 * 2 * frames));
  CHECK(load.switches[2] ==
        // Each frame of four boards counts once for the switch, once for the receiver, and half for its 1 KiB
        // of payload.
        Approx(2.5 * 4 * frames));
  for (std::size_t l = 0; l < config.network.links.size(); ++l) {
    CAPTURE(config.link_names[l]);
    const double boards = l < 4 ? 1 : l < 6 ? 2 : 4;
    CHECK(load.links[l] == Approx(boards * frames));
  }
}

TEST_CASE("parts are chosen automatically, one for each process", "[parts]") {
  CHECK(planned(tree(), 1).cut_links == 0);
  const lab::PartPlan two = planned(tree(), 2);
  CHECK(two.parting.parts == 2);
  CHECK(two.parting.delay == kMicrosecond);
  CHECK(two.parting.window() == 500 * kNanosecond);
  REQUIRE(two.switches.size() == 2);
  CHECK(two.switches[0].size() + two.switches[1].size() == 3);
  CHECK(std::accumulate(two.load.begin(), two.load.end(), 0.0) == Approx(1));
  CHECK(*std::max_element(two.load.begin(), two.load.end()) < 0.76);
  const lab::PartPlan three = planned(tree(), 3);
  CHECK(three.cut_links == 2);
  // Each station belongs to the part of its switch: boards 0 and 1 to the part of leaf-0, and so on.
  for (std::uint32_t s = 0; s < 5; ++s)
    CHECK(three.parting.part_of_station[s] == three.parting.part_of_switch[s / 2]);
}

TEST_CASE("several parts share a process", "[parts]") {
  const lab::PartPlan plan = planned(tree("  parts: 3"), 2);
  CHECK(plan.parting.parts == 3);
  CHECK(plan.parting.process_of(0, 2) == 0);
  CHECK(plan.parting.process_of(2, 2) == 1);
}

TEST_CASE("the file may list the parts", "[parts]") {
  const lab::PartPlan plan =
      planned(tree("  parts: [{switches: [leaf-1, spine]}, {switches: [leaf-0..leaf-0]}]"), 2);
  CHECK(plan.switches == std::vector<std::vector<std::uint32_t>>{{1, 2}, {0}});
  CHECK(plan.cut_links == 1);
}

TEST_CASE("parts that do not fit are refused with the fix", "[parts]") {
  CHECK(has(refusal(tree(), 4), "cannot be cut into 4 parts; fix: use at most 3 parts or processes"));
  CHECK(has(refusal(tree("  parts: 2"), 3), "3 processes were started for 2 parts; fix: start 2 processes"));
  for (const char* link : {"delay: 0s", "delay: 50ns"}) {
    CAPTURE(link);
    const std::string text = refusal(tree("", link), 2);
    CHECK(has(text, "the link leaf-0-spine"));
    CHECK(has(text, "fix: run it in one process"));
    CHECK(has(refusal(tree("  parts: [{switches: [leaf]}, {switches: [spine]}]", link), 2),
              "between two parts has "));
    CHECK(refusal(tree("", link), 1).empty());
  }
  const std::string rule = "delay: 1us, faults: {rules: [{on: {qp: feb-0/0, psn: +4}, do: {delay: 2us}}]}";
  CHECK(has(refusal(tree("  parts: [{switches: [leaf]}, {switches: [spine]}]", rule), 2),
            "has fault rules that delay or reorder packets; fix: put its switches into the same part"));
}

TEST_CASE("mistakes in network.parts name their place", "[parts]") {
  CHECK(has(refusal(tree("  parts: many"), 1), "fix: write auto, a number, or a list"));
  CHECK(has(refusal(tree("  parts: 0"), 1), "network.parts"));
  CHECK(has(refusal(tree("  parts: []"), 1), "contains no part"));
  CHECK(has(refusal(tree("  parts: [{switches: [leaf]}]"), 1), "\"spine\" is in no part"));
  CHECK(has(refusal(tree("  parts: [{switches: [leaf, leaf-1, spine]}]"), 1),
            "\"leaf-1\" is already in part 0"));
  CHECK(has(refusal(tree("  parts: [{switches: [leaf, spine, daq]}]"), 1), "\"daq\" is not a switch"));
  CHECK(has(refusal(tree("  parts: [{switch: [leaf, spine]}]"), 1), "switches"));
}

TEST_CASE("the plan is described, with advice if parts gain little", "[parts]") {
  const config::LabConfig config = config::load_lab_text(tree(), "tree.yaml");
  const lab::PartPlan plan = lab::plan_parts(config, endpoints::Plans(config.run), 3);
  const std::string text = lab::describe(plan, config, 3, 1e-9);
  CHECK(has(text, "3 parts, 2 links cut, window 500ns\n  part 0: "));
  CHECK(has(text, "% of the work: leaf-0\n"));
  CHECK(has(text, " times as fast as one process"));
  CHECK(
      has(lab::describe(plan, config, 3, 1e-3), "run several points of a study at once: softfeb lab sweep"));
  CHECK(has(lab::describe(plan, config, 1, 0), "one process runs all parts"));
}

TEST_CASE("the share of the exchange decides whether parts pay", "[parts]") {
  lab::PartPlan plan = planned(tree(), 2);
  CHECK(plan.exchange_share(1) > 0.9);
  CHECK(plan.exchange_share(1e-9) < plan.exchange_share(1e-6));
  CHECK(planned(tree(), 1).exchange_share(1) == 0);
}
