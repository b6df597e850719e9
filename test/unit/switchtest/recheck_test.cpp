// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/recheck.hpp"

#include "switch_sets.hpp"
#include "switchtest/virtual_rig.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

TEST_CASE("Repeated tests show how their figures vary", "[switchtest]") {
  VirtualRig rig(test::set_v1());
  Settings settings = test::four_ports();
  settings.sizes = {1026};
  Findings findings;
  TestReport report{.name = "soak"};
  Context ctx(rig, settings, findings, report);
  Recheck recheck;
  for (const Time hour : {0U, 1U, 2U}) recheck.run(ctx, {"throughput", "unknown"}, hour * 3600 * kSecond);
  CHECK(recheck.runs() == 3);
  CHECK(findings.load.empty());
  CHECK(report.figures.empty());
  recheck.report(ctx);
  REQUIRE(report.figures.size() == 6);  // `load`, `pps` and `gbps`, each in one direction and in both
  const Figure& load = report.figures[2];
  CHECK(load.name == "recheck");
  CHECK(load.labels.at("figure") == "throughput.load");
  CHECK(load.labels.at("size") == "1026");
  CHECK(load.value == 1.0);
  CHECK(load.low == 1.0);
  REQUIRE(report.curves.size() == 6);
  CHECK(report.curves[2].points.size() == 3);
  CHECK(report.curves[2].points[2].x == Approx(2));
}
