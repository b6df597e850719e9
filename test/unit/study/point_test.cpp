// SPDX-License-Identifier: BSD-3-Clause
#include "study/point.hpp"

#include "config/load.hpp"
#include "study_sample.hpp"
#include "temporary_directory.hpp"

#include <fstream>
#include <string>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::study;

namespace {

config::LabConfig load_sample(const std::vector<std::string>& overrides = {}) {
  const char* const text = R"(
ports: []
boards:
  - name: feb
    ip: 10.0.0.1/24
    qps: [{to: daq}]
receivers: [{name: daq, ip: 10.0.0.2/24}]
network:
  switches: [{name: tor, buffer: 1MiB}]
  links:
    - {ends: [feb, tor], rate: 10Gb/s}
    - {ends: [daq, tor], rate: 10Gb/s}
run: {duration: 1ms}
)";
  return config::load_lab_text(text, "lab.yaml", overrides);
}

}  // namespace

TEST_CASE("The last axis of a grid varies fastest") {
  const Grid grid = study_sample::grid();
  REQUIRE(grid.size() == 6);
  CHECK(grid.values(0) == std::vector<std::string>{"20KiB", "1"});
  CHECK(grid.values(1) == std::vector<std::string>{"20KiB", "2"});
  CHECK(grid.values(5) == std::vector<std::string>{"40KiB", "3"});
  CHECK(grid.overrides(3) ==
        std::vector<std::string>{"network.switches.tor.queues.0.kmin=40KiB", "boards.feb.dcqcn.rhai=1"});
  CHECK(grid.name(3) == "kmin=40KiB rhai=1");
}

TEST_CASE("Axes whose keys end alike have their whole keys as headings") {
  const Grid grid({{.key = "boards.a.rate", .values = {"1"}, .where = {}},
                   {.key = "boards.b.rate", .values = {"2"}, .where = {}},
                   {.key = "run.seed", .values = {"3"}, .where = {}}});
  CHECK(grid.name(0) == "boards.a.rate=1 boards.b.rate=2 seed=3");
}

TEST_CASE("A point that was run has its values, measures and verdict") {
  const Grid grid = study_sample::grid();
  const Json point = study_sample::point(grid, 4, 9.5);
  CHECK(point["values"]["boards.feb.dcqcn.rhai"] == "2");
  CHECK(point["goodput_gbps"] == 9.5);
  CHECK(point["latency_us"].is_null());
  CHECK(point["verdict"] == "held");
  CHECK(held(point));
  CHECK_FALSE(point.contains("error"));
  CHECK_FALSE(point.contains("failed_checks"));
}

TEST_CASE("A point without a run has an error and no measures") {
  PointRun run;
  run.error = "no port";
  const Json point = point_json(study_sample::grid(), 0, run);
  CHECK(point["error"] == "no port");
  CHECK(point["verdict"].is_null());
  CHECK_FALSE(held(point));
  for (const Measure& m : kMeasures) CHECK_FALSE(measured(point, m));
}

TEST_CASE("A point lists the checks that failed") {
  PointRun run;
  run.done = true;
  run.run.checks.push_back({.name = "fairness_jain", .held = false});
  run.run.checks.push_back({.name = "port_used", .held = true});
  CHECK(point_json(study_sample::grid(), 0, run)["failed_checks"] == Json::array({"fairness_jain"}));
}

TEST_CASE("The key of a point depends on configuration and version only") {
  const std::string key = point_key(load_sample(), "1.0");
  CHECK(key.size() == 16);
  CHECK(point_key(load_sample(), "1.0") == key);
  CHECK(point_key(load_sample(), "1.1") != key);
  CHECK(point_key(load_sample({"run.seed=2"}), "1.0") != key);
  CHECK(point_key(load_sample({"run.duration=2ms"}), "1.0") != key);
}

TEST_CASE("The key of a point depends on the contents of its files") {
  const test::TemporaryDirectory folder;
  const std::string file = folder.path().string() + "/lengths.txt";
  const auto key = [&](const char* text) {
    std::ofstream(file) << text;
    return point_key(load_sample({"boards.feb.qps.0.traffic={lengths: " + file + "}"}), "1.0");
  };
  const std::string one = key("1000 0.5\n4000 1\n");
  CHECK(key("1000 0.6\n4000 1\n") != one);
  CHECK(key("1000 0.5\n4000 1\n") == one);
}
