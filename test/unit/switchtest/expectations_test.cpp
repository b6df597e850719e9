// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/expectations.hpp"

#include <catch2/catch.hpp>

using namespace softfeb::switchtest;

namespace {

using Outcome = Verdict::Outcome;

std::vector<TestReport> ecn_report() {
  TestReport out{.name = "ecn"};
  out.figures.push_back({.name = "kmin_bytes", .value = 40'960, .low = 40'900, .high = 41'000});
  out.figures.push_back({.name = "scope", .text = "queue"});
  out.figures.push_back({.name = "classes", .text = "3"});
  out.figures.push_back({.name = "averaged", .status = Status::kAbsent, .reason = "not averaged"});
  out.figures.push_back({.name = "pool_bytes", .low = 1'000, .status = Status::kBounded, .reason = "limit"});
  out.figures.push_back({.name = "load", .labels = {{"size", "78"}}, .value = 1.0});
  out.figures.push_back({.name = "load", .labels = {{"size", "130"}}, .value = 0.9});
  return {out};
}

Outcome outcome(Expectation expected) {
  expected.test = "ecn";
  const auto verdicts = judge(ecn_report(), {expected});
  REQUIRE(verdicts.size() == 1);
  CHECK(verdicts[0].reason.empty() == (verdicts[0].outcome == Outcome::kHeld));
  return verdicts[0].outcome;
}

}  // namespace

TEST_CASE("A figure must be within its bounds", "[switchtest]") {
  CHECK(outcome({.figure = "kmin_bytes", .min = 40'000, .max = 42'000}) == Outcome::kHeld);
  CHECK(outcome({.figure = "kmin_bytes", .min = 41'001}) == Outcome::kFailed);
  CHECK(outcome({.figure = "kmin_bytes", .max = 40'899}) == Outcome::kFailed);
}

TEST_CASE("A bound inside the interval of a figure may hold", "[switchtest]") {
  CHECK(outcome({.figure = "kmin_bytes", .min = 40'900}) == Outcome::kHeld);
  CHECK(outcome({.figure = "kmin_bytes", .min = 41'000}) == Outcome::kUndecided);
  CHECK(outcome({.figure = "kmin_bytes", .max = 40'959}) == Outcome::kUndecided);
  CHECK(outcome({.figure = "kmin_bytes", .max = 40'900}) == Outcome::kUndecided);
}

TEST_CASE("Bounds in percent fit figures in percent and shares", "[switchtest]") {
  std::vector<TestReport> tests(1);
  tests[0].name = "ecn";
  tests[0].figures.push_back({.name = "pmax", .value = 9.9, .unit = "%"});
  tests[0].figures.push_back({.name = "share", .value = 0.099});
  for (const char* figure : {"pmax", "share"}) {
    const auto judged = [&](double min, double max) {
      const Expectation expected{.test = "ecn", .figure = figure, .min = min, .max = max, .percent = true};
      return judge(tests, {expected})[0].outcome;
    };
    CHECK(judged(0.095, 0.105) == Outcome::kHeld);
    CHECK(judged(0.05, 0.09) == Outcome::kFailed);
    CHECK(judged(0.1, 0.2) == Outcome::kFailed);
  }
}

TEST_CASE("A word is the text or the status of a figure", "[switchtest]") {
  CHECK(outcome({.figure = "scope", .word = "queue"}) == Outcome::kHeld);
  CHECK(outcome({.figure = "scope", .word = "port"}) == Outcome::kFailed);
  CHECK(outcome({.figure = "averaged", .word = "absent"}) == Outcome::kHeld);
  CHECK(outcome({.figure = "kmin_bytes", .word = "absent"}) == Outcome::kFailed);
  CHECK(outcome({.figure = "averaged", .min = 1}) == Outcome::kFailed);
  CHECK(outcome({.figure = "classes", .min = 3, .max = 3, .text = "3"}) == Outcome::kHeld);
  CHECK(outcome({.figure = "classes", .min = 4, .max = 4, .text = "4"}) == Outcome::kFailed);
}

TEST_CASE("A bound decides only what it proves", "[switchtest]") {
  CHECK(outcome({.figure = "pool_bytes", .min = 900}) == Outcome::kHeld);
  CHECK(outcome({.figure = "pool_bytes", .min = 1'100}) == Outcome::kUndecided);
  CHECK(outcome({.figure = "pool_bytes", .max = 900}) == Outcome::kFailed);
  CHECK(outcome({.figure = "pool_bytes", .max = 2'000}) == Outcome::kUndecided);
}

TEST_CASE("An expectation applies to every figure with its labels", "[switchtest]") {
  const auto verdicts = judge(ecn_report(), {{.test = "ecn", .figure = "load", .min = 0.95}});
  REQUIRE(verdicts.size() == 2);
  CHECK(verdicts[0].outcome == Outcome::kHeld);
  CHECK(verdicts[1].outcome == Outcome::kFailed);
  CHECK(outcome({.figure = "load", .labels = {{"size", "78"}}, .min = 0.95}) == Outcome::kHeld);
}

TEST_CASE("A figure that does not exist fails unless its test was not conclusive", "[switchtest]") {
  CHECK(outcome({.figure = "nothing", .min = 1}) == Outcome::kFailed);
  const std::vector<TestReport> tests{{.name = "ecn", .status = Status::kUnresolvable, .reason = "2 ports"}};
  CHECK(judge(tests, {{.test = "ecn", .figure = "nothing", .min = 1}})[0].outcome == Outcome::kUndecided);
  CHECK(judge(tests, {{.test = "xoff", .figure = "nothing", .min = 1}}).empty());
}
