// SPDX-License-Identifier: BSD-3-Clause
// Tests that a network in parts gives the same result document, byte for byte, as the same network in one
// piece.
#include "config/load.hpp"
#include "experiment/phases.hpp"
#include "experiment/virtual_driver.hpp"
#include "lab/checks.hpp"
#include "lab/part_plan.hpp"
#include "report/lab_result.hpp"
#include "report/recorder.hpp"
#include "report/result.hpp"

#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;

namespace {

using Overrides = std::vector<std::string>;

struct PartedRun {
  std::string document;
  std::uint64_t marked = 0, pauses = 0, dropped = 0, frames = 0;
  std::size_t flows = 0;
};

/// Runs a lab in `parts` parts.
PartedRun run_parted(const config::LabConfig& config, std::uint32_t parts) {
  const endpoints::Plans plans(config.run);
  config::LabConfig parted = config;
  parted.parts.count = parts;
  const lab::PartPlan plan = lab::plan_parts(parted, plans, 1);
  CHECK(plan.switches.size() == parts);
  experiment::VirtualDriver driver(
      config, [] { return 0; }, {}, true, plan.parting);
  report::Recorder recorder(config.run, &config, driver.plans().all(), std::nullopt);
  const stats::Outcome outcome =
      experiment::run_phases(config.run, driver, recorder.observers(), [](const std::string&) {});
  const lab::Judgement checks = lab::judge(config.run, driver.plans(), outcome, driver.endpoints(), {}, true);
  const report::LabRun judged =
      report::judge_lab(config, experiment::lab_stats(config, driver, outcome, recorder.metrics()));
  auto json =
      report::make_result(config.run, nullptr, driver.plans(), outcome, driver.endpoints(), {}, checks);
  report::add_lab(json, config, *outcome.network, checks, judged, nullptr);
  PartedRun run{json.dump(1)};
  for (const fabric::PortSnapshot& port : outcome.network->ports) {
    run.marked += port.ecn_marked;
    run.pauses += port.pause_tx;
  }
  run.dropped = outcome.network->totals.dropped_fault;
  run.frames = outcome.network->totals.entered;
  run.flows = outcome.network->flows.size();
  // The document does not contain the flows. Because metrics are computed from the flows, they are appended
  // here and compared as well.
  for (const fabric::FlowSnapshot& f : outcome.network->flows)
    for (const std::uint64_t figure : {std::uint64_t{f.source}, std::uint64_t{f.destination},
                                       std::uint64_t{f.qpn}, f.packets, f.bytes, f.ecn_marked, f.dropped})
      run.document += std::to_string(figure) + (figure == f.dropped ? '\n' : ' ');
  return run;
}

/// Finds the first line in which two documents differ. Returns the first characters of this line, once for
/// each document. Returns an empty text if the documents are equal.
std::string difference(const std::string& a, const std::string& b) {
  std::size_t line = 0;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (a[i] != b[i]) return a.substr(line, 120) + "\n" + b.substr(line, 120);
    if (a[i] == '\n') line = i + 1;
  }
  return a.size() == b.size() ? "" : "one is longer";
}

PartedRun compare_parts(const config::LabConfig& config, const std::vector<std::uint32_t>& parts) {
  const PartedRun whole = run_parted(config, 1);
  for (const std::uint32_t n : parts) {
    CAPTURE(n);
    const PartedRun parted = run_parted(config, n);
    CHECK(difference(parted.document, whole.document) == "");
    CHECK(parted.document == whole.document);
  }
  return whole;
}

config::LabConfig lab_file(const std::string& name, const Overrides& overrides) {
  return config::load_lab(std::string(SOFTFEB_CONF_DIR) + "/lab/" + name, overrides);
}

}  // namespace

TEST_CASE("a camera in parts gives the same document", "[experiment][parts]") {
  const auto camera = [](std::string servers, Overrides more) {
    more.push_back("run.duration=300us");
    more.push_back("lab.sample_interval=100us");
    more.push_back("receivers.server.count=" + std::move(servers));
    return lab_file("camera.yaml", more);
  };
  SECTION("without congestion") { CHECK(compare_parts(camera("16", {}), {2, 7, 9}).frames > 10'000); }
  SECTION("with marked packets") { CHECK(compare_parts(camera("8", {}), {2, 7}).marked > 100); }
  SECTION("with pauses between switches") {
    const PartedRun run = compare_parts(camera("8", {"boards.feb.dcqcn=off", "run.duration=600us"}), {2, 9});
    CHECK(run.marked > 1000);
    CHECK(run.pauses > 0);
  }
}

TEST_CASE("a camera whose uplinks have faults gives the same document in parts", "[experiment][parts]") {
  const std::string faults =
      "network.links.12.faults={drop: 0.5%, duplicate: 0.5%, corrupt: 0.5%, reorder: 1%, reorder_by: 20us, "
      "rules: [{on: {qp: any, message: 1, part: first}, do: {duplicate: 1}}, {on: {qp: feb-0/0, psn: +9}, "
      "do: "
      "drop}, {on: {qp: feb-70/0, psn: +7}, do: mark_ce}]}";
  const config::LabConfig config =
      lab_file("camera.yaml", {"run.duration=300us", "lab.sample_interval=100us", faults});
  CHECK(compare_parts(config, {2, 7, 9}).dropped > 50);
}

TEST_CASE("a table of more flows than are counted keeps the first ones", "[experiment][parts]") {
  config::LabConfig config = lab_file(
      "camera.yaml", {"run.duration=60us", "boards.feb.qps.0.count=20", "lab.sample_interval=20us",
                      "boards.feb.qps.0.traffic.message_size=4KiB", "receivers.server.memory=64KiB"});
  config.network.flows = 4'096;  // the run has 5,720 flows
  CHECK(compare_parts(config, {7}).flows == 4'096);
}

TEST_CASE("a funnel gives the same document in parts", "[experiment][parts]") {
  const Overrides overrides{"run.duration=3ms", "lab.sample_interval=1ms"};
  CHECK(compare_parts(lab_file("funnel.yaml", overrides), {2, 5}).marked > 100);
}

namespace {

/// A lab whose network is repeatedly idle for several time windows of the parallel simulation
/// (simulator::Parting::window()). With cut-through, such an idle time can end when only the header of a
/// frame has arrived.
constexpr const char* kCutThrough = R"(
run: {duration: 400us, warmup: 100us, seed: 147, drain_timeout: 20ms}
lab: {sample_interval: 50us}
network:
  switches:
    - {name: leaf, count: 3, buffer: 4MiB, cut_through: on, ecn: {kmin: 20KiB, kmax: 30KiB}}
    - {name: spine, buffer: 4MiB, cut_through: on, ecn: {kmin: 20KiB, kmax: 30KiB}}
  links:
    - {ends: [feb-0, leaf-0], rate: 10Gb/s}
    - {ends: [feb-1, leaf-1], rate: 10Gb/s}
    - {ends: [feb-2, leaf-2], rate: 10Gb/s, delay: 500ns}
    - {ends: [feb-3, leaf-0], rate: 10Gb/s}
    - {ends: [srv-0, leaf-1], rate: 40Gb/s, delay: 300ns}
    - {ends: [srv-1, spine], rate: 40Gb/s, delay: 300ns}
    - {ends: [leaf-0, spine], rate: 25Gb/s, delay: 500ns}
    - {ends: [leaf-1, spine], rate: 7Gb/s, delay: 1us}
    - {ends: [leaf-2, spine], rate: 10Gb/s, delay: 500ns}
boards:
  - name: feb
    count: 4
    ip: 10.0.0.1/16
    congestion: timely
    qps:
      - {to: srv, pmtu: 4096, traffic: {message_size: 3000B}}
      - {to: srv, pmtu: 1024, traffic: {message_size: 16KiB}}
receivers: [{name: srv, count: 2, ip: 10.0.1.1/16, memory: 1MiB}]
)";

}  // namespace

TEST_CASE("a network that is sometimes idle gives the same document in parts", "[experiment][parts]") {
  CHECK(compare_parts(config::load_lab_text(kCutThrough, "cut-through.yaml"), {2, 4}).frames > 100);
}

TEST_CASE("a leaf-spine fabric gives the same document in parts", "[experiment][parts]") {
  for (const std::string mode : {"hash", "round_robin", "random"}) {
    CAPTURE(mode);
    const config::LabConfig config =
        lab_file("leaf-spine.yaml",
                 {"run.duration=150us", "lab.sample_interval=50us", "network.multipath.mode=" + mode});
    CHECK(compare_parts(config,
                        mode == "hash" ? std::vector<std::uint32_t>{2, 7, 9} : std::vector<std::uint32_t>{9})
              .frames > 10'000);
  }
}

namespace {

/// Eight pods of two leaf switches each, below a core switch to which the servers are connected. Boards send
/// random messages and change their congestion control.
constexpr const char* kPods = R"(
lab:
  title: Pods
  bottleneck: core.server-0
  sample_interval: 200us
run: {duration: 1ms, warmup: 200us}
network:
  switches:
    - name: leaf
      count: 16
      buffer: 1MiB
      pipeline: 300ns
      queues: [{queue: 3, kmin: 20KiB, kmax: 80KiB, lossless: true}]
      dscp_to_queue: {26: 3}
      pause: {xoff: 60KiB, xon: 50KiB, headroom: 32KiB}
    - name: pod
      count: 8
      buffer: 2MiB
      cut_through: on
      queues: [{queue: 3, kmin: 20KiB, kmax: 80KiB, lossless: true}]
      dscp_to_queue: {26: 3}
      pause: {xoff: 60KiB, xon: 50KiB, headroom: 32KiB}
    - name: core
      buffer: 16MiB
      queues: [{queue: 3, kmin: 40KiB, kmax: 160KiB, lossless: true}]
      dscp_to_queue: {26: 3}
      pause: {xoff: 100KiB, xon: 90KiB, headroom: 64KiB}
  links:
    - {ends: [feb-0..feb-1, leaf-0], rate: 10Gb/s, delay: 300ns, flow_control: pfc}
    - {ends: [feb-2..feb-3, leaf-1], rate: 10Gb/s, delay: 300ns, flow_control: pfc}
    - {ends: [feb-4..feb-5, leaf-2], rate: 10Gb/s, delay: 300ns, flow_control: pfc}
    - {ends: [feb-6..feb-7, leaf-5], rate: 10Gb/s, delay: 300ns, flow_control: pfc}
    - {ends: [feb-8..feb-9, leaf-6], rate: 10Gb/s, delay: 300ns, flow_control: pfc}
    - {ends: [feb-10..feb-11, leaf-9], rate: 10Gb/s, delay: 300ns, flow_control: pfc}
    - {ends: [feb-12..feb-13, leaf-12], rate: 10Gb/s, delay: 300ns, flow_control: pfc}
    - {ends: [feb-14..feb-15, leaf-15], rate: 10Gb/s, delay: 300ns, flow_control: pfc}
    - {ends: [leaf-0..leaf-1, pod-0], rate: 25Gb/s, delay: 500ns, flow_control: pfc}
    - {ends: [leaf-2..leaf-3, pod-1], rate: 25Gb/s, delay: 500ns, flow_control: pfc}
    - {ends: [leaf-4..leaf-5, pod-2], rate: 25Gb/s, delay: 500ns, flow_control: pfc}
    - {ends: [leaf-6..leaf-7, pod-3], rate: 25Gb/s, delay: 500ns, flow_control: pfc}
    - {ends: [leaf-8..leaf-9, pod-4], rate: 25Gb/s, delay: 500ns, flow_control: pfc}
    - {ends: [leaf-10..leaf-11, pod-5], rate: 25Gb/s, delay: 500ns, flow_control: pfc}
    - {ends: [leaf-12..leaf-13, pod-6], rate: 25Gb/s, delay: 500ns, flow_control: pfc}
    - {ends: [leaf-14..leaf-15, pod-7], rate: 25Gb/s, delay: 500ns, flow_control: pfc}
    - {ends: [pod, core], rate: 25Gb/s, delay: 700ns, flow_control: pfc}
    - {ends: [core, server], rate: 40Gb/s, delay: 300ns, flow_control: pfc}
boards:
  - name: feb
    count: 16
    ip: 10.0.0.1/16
    dscp: 26
    pause: pfc
    dcqcn: {algorithm: firmware, scope: board, clamp_tgt_rate: true, rate_inc_interval: 30us}
    qps:
      - {to: server, pmtu: 4096, traffic: {message_size: 16KiB}}
      - {to: server, pmtu: 1024, traffic: {lengths: web_search, arrivals: {load: 20%}}}
      - {to: server, pmtu: 1024, transport: UC, traffic: {message_size: 8KiB, rate: 300Mb/s}}
receivers:
  - {name: server, count: 3, ip: 10.0.1.1/16, memory: 32MiB}
changes:
  - {at: 500us, board: feb-3, dcqcn: {algorithm: firmware, rai: 100Mb/s}}
)";

}  // namespace

TEST_CASE("three tiers with random traffic give the same document in parts", "[experiment][parts]") {
  const PartedRun run = compare_parts(config::load_lab_text(kPods, "pods.yaml"), {2, 7, 9});
  CHECK(run.marked > 100);
  CHECK(run.pauses > 0);
}
