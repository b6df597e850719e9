// SPDX-License-Identifier: BSD-3-Clause
#include "report/terminal.hpp"
#include "switch_sample.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::report;
using Catch::Contains;
using Catch::EndsWith;

namespace {

std::vector<std::string> lines_in(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::size_t widest_line(const std::string& text) {
  std::size_t out = 0;
  for (const std::string& line : lines_in(text)) out = std::max(out, width_of(line));
  return out;
}

}  // namespace

TEST_CASE("the table shows figures, intervals, expectations and verdicts", "[switch_table]") {
  const std::string table = switch_table(test::sample_switch_run(), 140, false);
  CHECK_THAT(lines_in(table)[0], Contains("figure") && Contains("value") && Contains("interval") &&
                                     Contains("expected") && Contains("verdict"));
  CHECK_THAT(table, Contains("xoff  pause thresholds\n"));
  const auto lines = lines_in(table);
  const auto line = [&](const std::string& start) {
    const auto it = std::find_if(lines.begin(), lines.end(),
                                 [&](const std::string& l) { return l.rfind("  " + start, 0) == 0; });
    return it == lines.end() ? std::string() : *it;
  };
  CHECK_THAT(line("xoff_bytes"),
             Contains(" 260625 B  258541 to 262710") && Contains("{value: 256KiB, within: 5%}  ✓ held"));
  CHECK_THAT(line("kmin_bytes"), EndsWith("{max: 101KiB}                ✓ held"));
  CHECK_THAT(line("load[direction=one,size=78]"), EndsWith("✗ failed"));
  CHECK_THAT(table, Contains("\n    0.912 is below 0.999\n"));
  CHECK_THAT(line("cells"), Contains("–") && EndsWith("✗ failed"));
  CHECK_THAT(line("pool_bytes"), Contains("≥ 1042500 B  at least 1042500") && EndsWith("? undecided"));
  CHECK(widest_line(table) <= 140);
}

TEST_CASE("tests without result say why", "[switch_table]") {
  const std::string table = switch_table(test::sample_switch_run(), 140, false);
  CHECK_THAT(table, Contains("victim  head-of-line blocking\n  unresolvable: the test needs 4 ports, and the "
                             "rig has 3\n"));
  CHECK_THAT(table, Contains("\n  inconclusive: too many trials were void; the last one because a worker was "
                             "not run for 1 ms\n"));
  CHECK_THAT(table, Contains("alpha") && Contains("\n    the port limit hides it\n"));
  CHECK_THAT(table, !Contains("unresolvable: the port limit"));  // the verdict is not repeated
}

TEST_CASE("the table ends with totals", "[switch_table]") {
  SwitchRun run = test::sample_switch_run();
  CHECK_THAT(switch_table(run, 140, false),
             EndsWith("\nfailed: tests: 7 measured, 1 unresolvable, 1 inconclusive; expectations: 19 held, 3 "
                      "failed, 2 undecided\n"));
  run.report.interrupted = true;
  CHECK_THAT(switch_table(run, 140, false),
             Contains("The run was interrupted.") && Contains("interrupted: tests"));
}

TEST_CASE("no line is wider than the terminal", "[switch_table]") {
  for (const std::size_t width : {40U, 60U, 80U, 100U, 120U}) {
    CAPTURE(width);
    CHECK(widest_line(switch_table(test::sample_switch_run(), width, false)) <= width);
    CHECK(widest_line(switch_table(test::sample_switch_run(), width, true)) <= width);
  }
  // If the terminal is narrower than 40 characters, the table is laid out for 40 characters.
  CHECK(switch_table(test::sample_switch_run(), 0, false) ==
        switch_table(test::sample_switch_run(), 40, false));
}

TEST_CASE("a narrow table has all verdicts", "[switch_table]") {
  const std::string table = switch_table(test::sample_switch_run(), 60, false);
  CHECK_THAT(table, Contains("  xoff_bytes: 260625 B [258541 to 262710]\n    ✓ held: {value: 256KiB, "
                             "within: 5%}\n"));
}

TEST_CASE("columns without expectations are left out", "[switch_table]") {
  SwitchRun run = test::sample_switch_run();
  run.expectations.clear();
  run.verdicts.clear();
  run.exit_status = kDone;
  const std::string table = switch_table(run, 140, false);
  CHECK_THAT(table, !Contains("expected") && !Contains("verdict") && !Contains("expectations"));
  CHECK_THAT(table, EndsWith("\nundecided: tests: 7 measured, 1 unresolvable, 1 inconclusive\n"));
  run.report.tests.pop_back();
  CHECK(overall_word(run) == "measured");
}

TEST_CASE("many sizes do not make the table long", "[switch_table]") {
  CHECK(lines_in(switch_table(test::sample_switch_run(), 140, false)).size() < 80);
}

TEST_CASE("the table has colours only if asked", "[switch_table]") {
  CHECK_THAT(switch_table(test::sample_switch_run(), 140, false), !Contains("\033"));
  CHECK_THAT(switch_table(test::sample_switch_run(), 140, true), Contains("\033[1;31m✗ failed\033[0m"));
}

TEST_CASE("texts from outside cannot control the terminal", "[switch_table]") {
  const SwitchRun run = test::hostile_switch_run();
  for (const std::size_t width : {40U, 200U})
    CHECK_THAT(switch_table(run, width, false), !Contains("\033") && !Contains("\xff"));
  for (const auto& t : run.report.tests) CHECK_THAT(switch_progress(t), !Contains("\033"));
}

TEST_CASE("a line says how a test ended", "[switch_table]") {
  const SwitchRun run = test::sample_switch_run();
  CHECK(switch_progress(run.report.tests[2]) == "throughput       12.0 s  36 figures");
  CHECK(switch_progress(run.report.tests[7]) ==
        "victim            0.0 s  unresolvable: the test needs 4 ports, and the rig has 3");
}

TEST_CASE("the word for a run", "[switch_table]") {
  SwitchRun run;
  CHECK(overall_word(run) == "measured");
  run.verdicts = {{.outcome = switchtest::Verdict::Outcome::kHeld}};
  CHECK(overall_word(run) == "held");
  run.verdicts.push_back({.outcome = switchtest::Verdict::Outcome::kUndecided});
  CHECK(overall_word(run) == "undecided");
  run.exit_status = kCheckFailed;  // as with the option --strict
  CHECK(overall_word(run) == "failed");
  run.exit_status = kDone;
  run.verdicts.push_back({.outcome = switchtest::Verdict::Outcome::kFailed});
  CHECK(overall_word(run) == "failed");
  run.report.interrupted = true;
  CHECK(overall_word(run) == "interrupted");
}
