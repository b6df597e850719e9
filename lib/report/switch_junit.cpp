// SPDX-License-Identifier: BSD-3-Clause
// Writes a run of switch tests as JUnit XML, for continuous integration.
#include "report/markup.hpp"
#include "report/switch_rows.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

using switchtest::Figure;
using switchtest::Status;
using switchtest::TestReport;
using Outcome = switchtest::Verdict::Outcome;

/// Figures of a test that have the same labels, and the verdicts about them.
struct FigureGroup {
  FigureLabels labels;
  std::vector<const Figure*> figures;
  std::vector<const switchtest::Verdict*> verdicts;
};

enum class CaseOutcome : std::uint8_t { kPassed, kFailed, kSkipped };

struct JunitCase {
  std::string name;
  CaseOutcome outcome = CaseOutcome::kPassed;
  std::string reason;  ///< why the case failed or was skipped
  std::string output;  ///< text that lists the figures
};

std::vector<FigureGroup> groups_of(const SwitchRun& run, const TestReport& test) {
  std::vector<FigureGroup> out;
  const auto group = [&](const FigureLabels& labels) -> FigureGroup& {
    const auto it = std::find_if(out.begin(), out.end(), [&](const auto& g) { return g.labels == labels; });
    if (it != out.end()) return *it;
    out.push_back({.labels = labels});
    return out.back();
  };
  for (std::size_t i = 0; i < test.figures.size(); ++i) {
    FigureGroup& g = group(test.figures[i].labels);
    g.figures.push_back(&test.figures[i]);
    for (const switchtest::Verdict* v : verdicts_of(run, test.name, i)) g.verdicts.push_back(v);
  }
  for (const switchtest::Verdict* v : verdicts_of(run, test.name, std::nullopt))
    group(run.expectations[v->expectation].labels).verdicts.push_back(v);
  return out;
}

bool is_missing(const Figure& f) {
  return f.status == Status::kUnresolvable || f.status == Status::kInconclusive;
}

std::string line_of(const Figure& f) {
  std::string out = f.name + ": " + value_words(f);
  if (const std::string interval = interval_words(f); !interval.empty()) out += " (" + interval + ")";
  if (!f.reason.empty()) out += ": " + f.reason;
  return out + "\n";
}

std::string verdict_line(const SwitchRun& run, const switchtest::Verdict& v) {
  const switchtest::Expectation& e = run.expectations[v.expectation];
  return fmt::format("{}.{}: expected {} ({}): {}\n", e.test, labelled(e.figure, e.labels), e.text, e.place,
                     v.reason);
}

/// Returns the case of a group of figures. The case fails if an expectation failed or, with
/// SwitchRun::strict, is undecided. Otherwise, it is skipped if an expectation is undecided, or if all its
/// figures are missing.
JunitCase case_of(const SwitchRun& run, const FigureGroup& group) {
  JunitCase out{.name = group.labels.empty() ? "figures" : label_words(group.labels)};
  std::string missing, failed, undecided;
  for (const Figure* f : group.figures) {
    out.output += line_of(*f);
    if (is_missing(*f)) missing += line_of(*f);
  }
  for (const switchtest::Verdict* v : group.verdicts) {
    if (v->outcome == Outcome::kFailed) failed += verdict_line(run, *v);
    if (v->outcome == Outcome::kUndecided) undecided += verdict_line(run, *v);
  }
  const bool all_missing =
      !group.figures.empty() &&
      std::all_of(group.figures.begin(), group.figures.end(), [](const Figure* f) { return is_missing(*f); });
  if (!failed.empty() || (run.strict && !undecided.empty())) {
    out.outcome = CaseOutcome::kFailed;
    out.reason = failed + (run.strict ? undecided : "");
  } else if (!undecided.empty() || all_missing) {
    out.outcome = CaseOutcome::kSkipped;
    out.reason = undecided.empty() ? missing : undecided;
  }
  return out;
}

/// Returns the cases of a test. If the test ended without a result, a separate case reports the reason.
std::vector<JunitCase> cases_of(const SwitchRun& run, const TestReport& test) {
  std::vector<JunitCase> out;
  if (test.status != Status::kMeasured) {
    const bool failed = run.strict && test.status == Status::kInconclusive;
    out.push_back({.name = "test",
                   .outcome = failed ? CaseOutcome::kFailed : CaseOutcome::kSkipped,
                   .reason = std::string(switchtest::name(test.status)) + ": " + test.reason});
  }
  for (const FigureGroup& g : groups_of(run, test)) out.push_back(case_of(run, g));
  if (out.empty()) out.push_back({.name = "test"});
  return out;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string case_element(const TestReport& test, const JunitCase& c, double seconds) {
  std::string out = fmt::format("    <testcase classname=\"switch-test.{}\" name=\"{}\" time=\"{:.6f}\"",
                                escaped(test.name), escaped(c.name), seconds);
  std::string inside;
  if (c.outcome == CaseOutcome::kFailed)
    inside = fmt::format("      <failure message=\"{}\">{}</failure>\n", escaped(first_line(c.reason)),
                         escaped(c.reason));
  if (c.outcome == CaseOutcome::kSkipped)
    inside = fmt::format("      <skipped message=\"{}\"/>\n", escaped(first_line(c.reason)));
  if (!c.output.empty()) inside += fmt::format("      <system-out>{}</system-out>\n", escaped(c.output));
  return out + (inside.empty() ? "/>\n" : ">\n" + inside + "    </testcase>\n");
}

struct SuiteTotals {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
};

std::string total_attributes(const SuiteTotals& n) {
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.6f}\"", n.tests,
                     n.failures, n.errors, n.skipped, n.seconds);
}

/// Returns the suite element of a test. Adds its counts to `sum`.
std::string suite_element(const SwitchRun& run, const TestReport& test, SuiteTotals& sum) {
  SuiteTotals n{.seconds = to_seconds(test.took)};
  std::string cases;
  for (const JunitCase& c : cases_of(run, test)) {
    // Only the time of the whole test is known, so the first case gets this time.
    cases += case_element(test, c, n.tests == 0 ? n.seconds : 0);
    ++n.tests;
    if (c.outcome == CaseOutcome::kFailed) ++n.failures;
    if (c.outcome == CaseOutcome::kSkipped) ++n.skipped;
  }
  sum.tests += n.tests;
  sum.failures += n.failures;
  sum.skipped += n.skipped;
  sum.seconds += n.seconds;
  return fmt::format("  <testsuite name=\"{}: {}\" {}>\n{}  </testsuite>\n", escaped(test.name),
                     escaped(test.title), total_attributes(n), cases);
}

/// Suite that is added if the run was interrupted, so that the run does not look complete.
constexpr const char* kInterruptedSuite =
    "  <testsuite name=\"run\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\" time=\"0\">\n"
    "    <testcase classname=\"switch-test.run\" name=\"complete\" time=\"0\">\n"
    "      <error message=\"the run was interrupted; tests that had not ended are missing\"/>\n"
    "    </testcase>\n  </testsuite>\n";

}  // namespace

std::string switch_junit(const SwitchRun& run) {
  SuiteTotals sum;
  std::string suites;
  for (const TestReport& test : run.report.tests) suites += suite_element(run, test, sum);
  if (run.report.interrupted) {
    suites += kInterruptedSuite;
    ++sum.tests;
    ++sum.errors;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"softfeb switch-test\" {}>\n{}"
      "</testsuites>\n",
      total_attributes(sum), suites);
}

}  // namespace softfeb::report
