// SPDX-License-Identifier: BSD-3-Clause
// A network in parts gives the same result document, byte for byte, as the same network in one piece.
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
  return run;
}

/// First line in which two documents differ.
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
