// SPDX-License-Identifier: BSD-3-Clause
#include "switch_sample.hpp"

#include <limits>
#include <string>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::report;

namespace {

using Json = nlohmann::ordered_json;

const Json& sample_result() {
  static const Json kResult = Json::parse(switch_result_text(test::sample_switch_run()));
  return kResult;
}

const Json& test_in(const Json& result, const std::string& name) {
  for (const Json& t : result["tests"])
    if (t["name"] == name) return t;
  FAIL("no test " << name);
  return result;
}

}  // namespace

TEST_CASE("the result says what was measured, and how", "[switch_result]") {
  const Json& r = sample_result();
  CHECK(r["schema_version"] == 1);
  CHECK(r["switch"] == Json{{"device", "ACME 100"}, {"software", "4.2.1"}});
  CHECK(r["date"] == "2026-11-26");
  CHECK(r["rig"] == "virtual");
  CHECK(r["ports"][2] == Json{{"name", "p2"}, {"rate_gbps", 25.0}, {"largest_frame", 9214}});
  CHECK(
      r["settings"]["roles"] ==
      Json{{"A", "p0"}, {"C", "p1"}, {"D", "p2"}, {"senders", Json::array()}, {"next_hops", Json::array()}});
  CHECK(r["settings"]["seed"] == 42);
  CHECK(r["settings"]["profile"] == "standard");
  CHECK(r["settings"]["sizes"].size() == 9);
  CHECK(r["configuration"]["switch_test"]["map"]["A"] == "p0");
  CHECK(r["findings"]["marking"]["where"] == "enqueue");
  CHECK(r["findings"]["pausing"]["xoff_bytes"] == 260'625);
  CHECK(r["findings"]["headroom"]["guaranteed_bytes"] == 29'190);
  CHECK(r["findings"]["largest_frame"].is_null());
}

TEST_CASE("the result has every figure with all its keys", "[switch_result]") {
  const Json& buffer = test_in(sample_result(), "buffer");
  CHECK(buffer["figures"][1] == Json{{"name", "queue_bytes"},
                                     {"labels", {{"queue", "1"}}},
                                     {"value", 1'048'572.0},
                                     {"low", 1'048'572.0},
                                     {"high", 1'049'594.0},
                                     {"unit", "B"},
                                     {"method", "count"},
                                     {"trials", 5},
                                     {"void_trials", 0},
                                     {"status", "measured"}});
  CHECK(buffer["figures"][2]["value"].is_null());
  CHECK(buffer["figures"][2]["status"] == "unresolvable");
  CHECK(buffer["figures"][2]["reason"] == "the port limit hides it");
  CHECK(buffer["figures"][3]["high"].is_null());
  CHECK(buffer["figures"][4]["text"] == "port limit");
  CHECK(test_in(sample_result(), "latency")["figures"].size() == 288);
  CHECK(test_in(sample_result(), "victim")["reason"] == "the test needs 4 ports, and the rig has 3");
}

TEST_CASE("the result has curves and raw counts", "[switch_result]") {
  const Json& memory = test_in(sample_result(), "buffer")["curves"][0];
  CHECK(memory["name"] == "memory");
  CHECK(memory["y_unit"] == "B");
  CHECK(memory["points"][0] ==
        Json{{"x", 1.0}, {"y", 1'048'572.0}, {"low", 1'048'572.0}, {"high", 1'049'598.0}});
  const Json& trials = test_in(sample_result(), "throughput")["trials"];
  CHECK(trials[0] ==
        Json{{"at_s", 1.0},
             {"pauses", 3},
             {"kinds", {{{"sent", 1000}, {"arrived", 998}, {"reordered", 1}, {"ect0", 990}, {"ce", 8}}}}});
  CHECK(trials[1]["void_reason"] == "a worker was not run for 1 ms");
}

TEST_CASE("the result has expectations, verdicts and totals", "[switch_result]") {
  const Json& r = sample_result();
  CHECK(r["expectations"][2] == Json{{"test", "throughput"},
                                     {"figure", "load"},
                                     {"labels", Json::object()},
                                     {"min", 0.999},
                                     {"text", "{min: 99.9%}"},
                                     {"place", "expect.yaml:3"}});
  CHECK(r["verdicts"][0] == Json{{"expectation", 0}, {"test", "xoff"}, {"figure", 0}, {"outcome", "held"}});
  CHECK(r["totals"] == Json{{"measured", 7},
                            {"unresolvable", 1},
                            {"inconclusive", 1},
                            {"held", 19},
                            {"failed", 3},
                            {"undecided", 2}});
  CHECK(r["interrupted"] == false);
  CHECK(r["verdict"] == "failed");
  CHECK(r["exit_status"] == 1);
}

TEST_CASE("hostile texts and numbers leave a valid document", "[switch_result]") {
  SwitchRun run = test::hostile_switch_run();
  run.report.tests[0].figures[0].value = std::numeric_limits<double>::quiet_NaN();
  const Json r = Json::parse(switch_result_text(run));
  CHECK(r["switch"]["device"] == "<b onload='x'>&\"\x1b[31m\xef\xbf\xbd</b>");
  CHECK(r["tests"][0]["figures"][0]["value"].is_null());
  run.report.settings.roles.d = 99;  // no such port
  CHECK(make_switch_result(run)["settings"]["roles"]["D"].is_null());
}
