// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/expectations.hpp"

#include <algorithm>

namespace softfeb::switchtest {

namespace {

bool matches(const Expectation& expected, const Figure& figure) {
  return figure.name == expected.figure &&
         std::all_of(expected.labels.begin(), expected.labels.end(), [&](const auto& label) {
           const auto it = figure.labels.find(label.first);
           return it != figure.labels.end() && it->second == label.second;
         });
}

std::string text_of(double value) {
  std::string out = std::to_string(value);
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out;
}

/// Converts the bounds to the unit of the figure.
Expectation in_unit_of(const Figure& figure, Expectation expected) {
  if (!expected.percent || figure.unit != "%") return expected;
  for (auto* const bound : {&expected.min, &expected.max})
    if (*bound) **bound *= 100;
  return expected;
}

void judge_number(const Expectation& expected, const Figure& figure, Verdict& verdict) {
  // If only one bound of the figure is known, the value of the figure may be anything beyond this bound.
  const bool bounded = figure.status == Status::kBounded;
  const auto least = bounded ? figure.low : figure.value, most = bounded ? figure.high : figure.value;
  if (!least && !most) {
    verdict.outcome = Verdict::Outcome::kFailed;
    verdict.reason = figure.text.empty() ? std::string(name(figure.status)) : "is " + figure.text;
    return;
  }
  // If the required limit lies inside the figure's interval, the expectation may still hold.
  const auto fail = [&](const std::string& reason, bool clear) {
    verdict.outcome = clear ? Verdict::Outcome::kFailed : Verdict::Outcome::kUndecided;
    verdict.reason = reason + (clear ? "" : ", but the limit is inside the interval of the figure");
  };
  if (expected.min && most && *most < *expected.min)
    return fail(text_of(*most) + " is below " + text_of(*expected.min),
                !figure.high || *figure.high < *expected.min);
  if (expected.max && least && *least > *expected.max)
    return fail(text_of(*least) + " is above " + text_of(*expected.max),
                !figure.low || *figure.low > *expected.max);
  const bool above = !expected.min || (least && *least >= *expected.min);
  const bool below = !expected.max || (most && *most <= *expected.max);
  if (!above || !below) {
    verdict.outcome = Verdict::Outcome::kUndecided;
    verdict.reason = "only a bound is known: " + figure.reason;
  }
}

void judge_word(const Expectation& expected, const Figure& figure, Verdict& verdict) {
  if (figure.text == *expected.word || *expected.word == name(figure.status)) return;
  verdict.outcome = Verdict::Outcome::kFailed;
  verdict.reason = "is " + (figure.text.empty() ? std::string(name(figure.status)) : figure.text);
}

Verdict judge_figure(const Expectation& expected, const Figure& figure) {
  Verdict out;
  const bool asked = expected.word && *expected.word == name(figure.status);
  if (!asked && (figure.status == Status::kInconclusive || figure.status == Status::kUnresolvable)) {
    out.outcome = Verdict::Outcome::kUndecided;
    out.reason = std::string(name(figure.status)) + ": " + figure.reason;
  } else if (expected.word) {
    judge_word(expected, figure, out);
  } else if (figure.text.empty() || figure.text != expected.text) {
    // The text of a figure may look like a number, for example if the text names a single PFC class. If this
    // text equals the expected text, the expectation holds.
    judge_number(in_unit_of(figure, expected), figure, out);
  }
  return out;
}

/// Returns the verdict about an expectation for which the test has no matching figure.
Verdict judge_missing(const Expectation& expected, const TestReport& test) {
  Verdict out;
  if (expected.word && *expected.word == name(test.status)) return out;
  out.outcome = test.status == Status::kMeasured ? Verdict::Outcome::kFailed : Verdict::Outcome::kUndecided;
  out.reason = test.status == Status::kMeasured ? "the test has no such figure"
                                                : std::string(name(test.status)) + ": " + test.reason;
  return out;
}

}  // namespace

const char* name(Status status) {
  switch (status) {
    case Status::kMeasured:
      return "measured";
    case Status::kBounded:
      return "bounded";
    case Status::kAbsent:
      return "absent";
    case Status::kUnresolvable:
      return "unresolvable";
    case Status::kInconclusive:
      return "inconclusive";
  }
  return "";
}

std::vector<Verdict> judge(const std::vector<TestReport>& tests,
                           const std::vector<Expectation>& expectations) {
  std::vector<Verdict> out;
  const auto add = [&](Verdict verdict, std::size_t expectation, const TestReport& test) {
    verdict.expectation = expectation;
    verdict.test = test.name;
    out.push_back(std::move(verdict));
    return &out.back();
  };
  for (std::size_t e = 0; e < expectations.size(); ++e)
    for (const TestReport& test : tests) {
      if (test.name != expectations[e].test) continue;
      bool found = false;
      for (std::size_t f = 0; f < test.figures.size(); ++f) {
        if (!matches(expectations[e], test.figures[f])) continue;
        add(judge_figure(expectations[e], test.figures[f]), e, test)->figure = f;
        found = true;
      }
      if (!found) add(judge_missing(expectations[e], test), e, test);
    }
  return out;
}

}  // namespace softfeb::switchtest
