// SPDX-License-Identifier: BSD-3-Clause
#include "report/switch_rows.hpp"

#include "switch_sample.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::report;
using switchtest::Figure;
using switchtest::Status;
using switchtest::TestReport;
using Outcome = switchtest::Verdict::Outcome;

namespace {

std::vector<SwitchRow> rows_of_test(const SwitchRun& run, const std::string& name, std::size_t most) {
  for (const TestReport& t : run.report.tests)
    if (t.name == name) return switch_rows(run, t, most);
  FAIL("no test " << name);
  return {};
}

std::vector<std::string> names_of(const std::vector<SwitchRow>& rows) {
  std::vector<std::string> out;
  for (const SwitchRow& r : rows) out.push_back(r.name);
  return out;
}

/// Returns the rows of a run with a single test that has these figures and no expectations.
std::vector<SwitchRow> rows_of_figures(const std::vector<Figure>& figures, std::size_t most) {
  SwitchRun run;
  run.report.tests = {{.name = "test", .figures = figures}};
  return switch_rows(run, run.report.tests[0], most);
}

Figure labelled_figure(double value, const FigureLabels& labels) {
  return {.name = "f", .labels = labels, .value = value, .low = value, .high = value};
}

}  // namespace

TEST_CASE("numbers have the digits that their interval deserves", "[switch_rows]") {
  CHECK(number_words(1'048'572, 1022) == "1048572");
  CHECK(number_words(102'412.7, 2380.8) == "102413");
  CHECK(number_words(0.09982, 0.0034) == "0.0998");
  CHECK(number_words(7710.4, 0) == "7710.4");
  CHECK(number_words(1.0 / 3, 0) == "0.333333");
  CHECK(number_words(1.0 / 3, std::numeric_limits<double>::infinity()) == "0.333333");
  CHECK(number_words(-2.50, 0.1) == "-2.5");
  CHECK(number_words(1.25e-9, 1e-12) == "1.25e-09");
  CHECK(number_words(3e20, 0) == "3e+20");
  CHECK(number_words(0, 1) == "0");
  CHECK(number_words(std::numeric_limits<double>::infinity(), 0) == "inf");
}

TEST_CASE("values and intervals in words", "[switch_rows]") {
  Figure f{.name = "f", .value = 12, .low = 12, .high = 12, .unit = "frames"};
  CHECK(value_words(f) == "12 frames");
  CHECK(interval_words(f) == "exact");
  f.high = 13;
  CHECK(interval_words(f) == "12 to 13");
  f.high.reset();
  f.status = Status::kBounded;
  CHECK(value_words(f) == "≥ 12 frames");
  CHECK(interval_words(f) == "at least 12");
  f.high = 12;
  f.low.reset();
  CHECK(value_words(f) == "≤ 12 frames");
  CHECK(interval_words(f) == "at most 12");
  f.value = 9;
  CHECK(value_words(f) == "9 frames");
  f = {.name = "f", .status = Status::kAbsent};
  CHECK(value_words(f) == "absent");
  CHECK(interval_words(f).empty());
  f.text = "drop";
  CHECK(value_words(f) == "drop");
}

TEST_CASE("few figures have a row each", "[switch_rows]") {
  const auto rows = rows_of_test(test::sample_switch_run(), "buffer", 4);
  CHECK(names_of(rows) == std::vector<std::string>{"queue_frames[queue=1,size=4174]", "queue_bytes[queue=1]",
                                                   "alpha", "pool_bytes", "sharing", "cells"});
  CHECK(rows[1].value == "1048572 B");
  CHECK(rows[1].interval == "1048572 to 1049594");
  CHECK(rows[2].reason == "the port limit hides it");
  CHECK(rows[4].value == "port limit");
}

TEST_CASE("many figures share rows, labels with most values first", "[switch_rows]") {
  const auto rows = rows_of_test(test::sample_switch_run(), "latency", 4);
  REQUIRE(rows.size() == 8 * 4);
  CHECK(rows[0].name == "min_ns[load=10,size=78…4174]");
  CHECK(rows[0].figures == 9);
  CHECK(rows[0].value == "1424.8 to 7978.4 ns");
  CHECK(rows[0].interval == "1422.3 to 7981.65");
  CHECK(rows_of_test(test::sample_switch_run(), "latency", 1).size() == 8);
  CHECK(rows_of_test(test::sample_switch_run(), "latency", 1)[0].name == "min_ns[load=10…100,size=78…4174]");
  CHECK(rows_of_test(test::sample_switch_run(), "latency", 36).size() == 8 * 36);
}

TEST_CASE("numbers are ranges in the order of numbers", "[switch_rows]") {
  std::vector<Figure> figures;
  for (const char* size : {"1026", "78", "9", "10", "258"})
    figures.push_back(labelled_figure(1, {{"size", size}}));
  auto rows = rows_of_figures(figures, 4);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].name == "f[size=9…1026]");
  CHECK(rows[0].value == "1");
  CHECK(rows[0].interval == "exact");
  // The label "nan" must count as a word, although std::from_chars would accept it as a number.
  figures.back().labels["size"] = "nan";
  rows = rows_of_figures(figures, 4);
  CHECK(rows[0].name == "f[size=5 values]");
}

TEST_CASE("words that differ do not share rows, unless they are many", "[switch_rows]") {
  std::vector<Figure> figures;
  for (int k = 0; k < 8; ++k)
    figures.push_back(
        {.name = "f", .labels = {{"queue", std::to_string(k)}}, .text = "text " + std::to_string(k)});
  CHECK(rows_of_figures(figures, 1).size() == 8);
  figures.push_back({.name = "f", .labels = {{"queue", "8"}}, .text = "text 8"});
  const auto rows = rows_of_figures(figures, 1);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].value == "text 0; text 1; text 2; text 3; and 5 more");
  for (Figure& f : figures) f.text = "same";
  CHECK(rows_of_figures(figures, 1).size() == 1);
  CHECK(rows_of_figures(figures, 1)[0].value == "same");
}

TEST_CASE("figures without labels that repeat share a row", "[switch_rows]") {
  CHECK(rows_of_figures({labelled_figure(1, {}), labelled_figure(3, {}), labelled_figure(2, {})}, 1).size() ==
        1);
  CHECK(rows_of_figures({labelled_figure(1, {}), labelled_figure(3, {})}, 1)[0].value == "1 to 3");
}

TEST_CASE("figures with other statuses or reasons are not lost in a row", "[switch_rows]") {
  std::vector<Figure> figures;
  for (int k = 0; k < 6; ++k) figures.push_back(labelled_figure(k, {{"size", std::to_string(k)}}));
  figures[5].status = Status::kUnresolvable;
  figures[5].value.reset();
  figures[5].reason = "why";
  figures[1].reason = "lost";
  figures[2].reason = "other";
  const auto rows = rows_of_figures(figures, 2);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].name == "f[size=0…4]");
  CHECK(rows[0].reason == "lost (and 1 other reason)");
  CHECK(rows[1].name == "f[size=5]");
  CHECK(rows[1].reason == "why");
}

TEST_CASE("rows carry expectations and verdicts", "[switch_rows]") {
  const SwitchRun run = test::sample_switch_run();
  const auto load = rows_of_test(run, "throughput", 4);
  const auto failed = std::count_if(load.begin(), load.end(), [](const SwitchRow& r) {
    return r.outcome == Outcome::kFailed && r.expected == "{min: 99.9%}" && r.figures == 1;
  });
  CHECK(failed == 2);  // one in each direction
  CHECK(std::count_if(load.begin(), load.end(),
                      [](const SwitchRow& r) { return r.outcome == Outcome::kHeld && r.figures == 8; }) == 2);
  const auto buffer = rows_of_test(run, "buffer", 4);
  CHECK(buffer[2].outcome == Outcome::kUndecided);
  CHECK(buffer[3].outcome == Outcome::kUndecided);
  CHECK(buffer[5].figures == 0);
  CHECK(buffer[5].outcome == Outcome::kFailed);
  CHECK(buffer[5].why == "the test has no such figure");
}

TEST_CASE("the worst of several verdicts counts", "[switch_rows]") {
  SwitchRun run;
  run.report.tests = {{.name = "t", .figures = {labelled_figure(5, {})}}};
  run.expectations = {{.test = "t", .figure = "f", .min = 6, .text = "{min: 6}"},
                      {.test = "t", .figure = "f", .min = 1, .text = "{min: 1}"}};
  run.verdicts = switchtest::judge(run.report.tests, run.expectations);
  const auto rows = switch_rows(run, run.report.tests[0], 4);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].outcome == Outcome::kFailed);
  CHECK(rows[0].expected == "{min: 6}; {min: 1}");
  CHECK(rows[0].why == "5 is below 6");
}
