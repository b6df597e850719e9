// SPDX-License-Identifier: BSD-3-Clause
#include "switch_sample.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::report;
using Catch::Contains;
using Catch::EndsWith;
using Catch::StartsWith;

namespace {

std::size_t number_of(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++n;
  return n;
}

/// Returns the text from the beginning of the case with this name to the beginning of the next case.
std::string case_in(const std::string& junit, const std::string& test, const std::string& name) {
  const std::size_t at = junit.find("<testcase classname=\"switch-test." + test + "\" name=\"" + name + "\"");
  if (at == std::string::npos) return {};
  return junit.substr(at, junit.find("<testcase", at + 1) - at);
}

}  // namespace

TEST_CASE("each test is a suite, each set of labels a case", "[switch_junit]") {
  const std::string junit = switch_junit(test::sample_switch_run());
  // The test `dscp` has cases for 8 queues and 64 DSCPs. `throughput` has 18 cases, `latency` 36, and
  // `buffer` 3. `ecn`, `xoff`, the preflight and `victim` have one case each, and `storm` has two (the test
  // itself and its figure).
  CHECK_THAT(junit,
             StartsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"softfeb "
                        "switch-test\" tests=\"135\" failures=\"3\" errors=\"0\" skipped=\"2\" time=\"45.0"));
  CHECK(number_of(junit, "<testsuite ") == 9);
  CHECK(number_of(junit, "<testcase ") == 135);
  CHECK(number_of(junit, "<failure ") == 3);
  CHECK(number_of(junit, "<skipped ") == 2);
  CHECK_THAT(junit, Contains("<testsuite name=\"throughput: the largest load without loss\" tests=\"18\" "
                             "failures=\"2\" errors=\"0\" skipped=\"0\" time=\"12.000000\">"));
  CHECK_THAT(junit, EndsWith("</testsuite>\n</testsuites>\n"));
}

TEST_CASE("a failed expectation is a failure", "[switch_junit]") {
  const std::string junit = switch_junit(test::sample_switch_run());
  CHECK_THAT(case_in(junit, "throughput", "direction=one, size=78"),
             Contains("<failure message=\"throughput.load: expected {min: 99.9%} (expect.yaml:3): 0.912 ") &&
                 Contains("pps: "));
  CHECK_THAT(case_in(junit, "throughput", "direction=one, size=130"), !Contains("<failure"));
  CHECK_THAT(case_in(junit, "buffer", "figures"),
             Contains("<failure message=\"buffer.cells: expected {min: 1} (expect.yaml:6): the test has no"));
}

TEST_CASE("tests and figures without result are skipped with the reason", "[switch_junit]") {
  SwitchRun run = test::sample_switch_run();
  std::string junit = switch_junit(run);
  CHECK_THAT(case_in(junit, "victim", "test"),
             Contains("<skipped message=\"unresolvable: the test needs 4 ports, and the rig has 3\"/>"));
  CHECK_THAT(case_in(junit, "storm", "test"), Contains("<skipped message=\"inconclusive: too many trials"));
  CHECK_THAT(case_in(junit, "storm", "figures"), !Contains("<skipped") && Contains("detect_ms: absent"));
  run.expectations.clear();
  run.verdicts.clear();
  run.report.tests[4].figures[0].status = switchtest::Status::kUnresolvable;
  run.report.tests[4].figures[0].reason = "why <";
  junit = switch_junit(run);
  CHECK_THAT(case_in(junit, "buffer", "queue=1, size=4174"),
             Contains("<skipped message=\"queue_frames: ") && Contains("why &lt;\"/>"));
  // A case with several figures is not skipped if only one of them is missing.
  CHECK_THAT(case_in(junit, "buffer", "figures"),
             !Contains("<skipped") && Contains("alpha: unresolvable: the port limit hides it"));
}

TEST_CASE("undecided expectations are skipped, and with --strict failures", "[switch_junit]") {
  SwitchRun run = test::sample_switch_run();
  std::erase_if(run.verdicts,
                [](const auto& v) { return v.outcome != switchtest::Verdict::Outcome::kUndecided; });
  CHECK_THAT(case_in(switch_junit(run), "buffer", "figures"), Contains("<skipped message=\"buffer.alpha: "));
  run.strict = true;
  const std::string junit = switch_junit(run);
  CHECK_THAT(case_in(junit, "buffer", "figures"), Contains("<failure message=\"buffer.alpha: "));
  CHECK_THAT(case_in(junit, "storm", "test"), Contains("<failure message=\"inconclusive: "));
  CHECK_THAT(case_in(junit, "victim", "test"), Contains("<skipped"));
}

TEST_CASE("an interrupted run has an error", "[switch_junit]") {
  SwitchRun run;
  CHECK_THAT(switch_junit(run), Contains("tests=\"0\" failures=\"0\" errors=\"0\""));
  run.report.interrupted = true;
  CHECK_THAT(switch_junit(run), Contains("tests=\"1\" failures=\"0\" errors=\"1\"") && Contains("<error "));
}

TEST_CASE("hostile texts are escaped in XML", "[switch_junit]") {
  const std::string junit = switch_junit(test::hostile_switch_run());
  CHECK_THAT(junit,
             !Contains("<b") && !Contains("\x1b") && !Contains("\xff") && Contains("&lt;b onload=&#39;x"));
}
