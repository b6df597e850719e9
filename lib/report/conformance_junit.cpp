// SPDX-License-Identifier: BSD-3-Clause
// Writes a conformance run as JUnit XML, for continuous integration.
#include "report/conformance_result.hpp"
#include "report/conformance_words.hpp"
#include "report/markup.hpp"

#include <fmt/format.h>

namespace softfeb::report {

namespace {

using conformance::CaseResult;
using conformance::Verdict;

struct SuiteCounts {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
};

SuiteCounts counts_of(const std::vector<const CaseResult*>& cases) {
  SuiteCounts n;
  for (const CaseResult* r : cases) {
    ++n.tests;
    n.seconds += r->seconds;
    if (r->verdict == Verdict::kFail) ++n.failures;
    if (r->verdict == Verdict::kInconclusive) ++n.errors;
    if (r->verdict == Verdict::kNotApplicable || r->verdict == Verdict::kNotRun) ++n.skipped;
  }
  return n;
}

std::string attributes(const std::string& name, const SuiteCounts& n) {
  return fmt::format("name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.6f}\"",
                     escaped(name), n.tests, n.failures, n.errors, n.skipped, n.seconds);
}

std::string observed(const CaseResult& r) {
  const std::string words = observed_words(r);
  return words.empty() ? r.reason : words;
}

/// Formats a failure or an error, with a message that states what was expected and what was observed.
std::string trouble(const char* element, const CaseResult& r) {
  const std::string message = fmt::format("expected: {}; observed: {}", r.of->expected, observed(r));
  std::string body = fmt::format("{}\nStimulus: {}\nExpected: {}\nObserved: {}\nSection: {}\n", r.reason,
                                 r.of->stimulus, r.of->expected, observed(r), r.of->section);
  for (const auto& f : r.findings) body += fmt::format("Checker {}: {}\n", f.checker, f.text);
  return fmt::format("      <{0} message=\"{1}\" type=\"{2}\">{3}</{0}>\n", element, escaped(message),
                     conformance::name_of(r.verdict), escaped(body));
}

std::string test_case(const CaseResult& r) {
  std::string out = fmt::format("    <testcase classname=\"{}\" name=\"{} {}\" time=\"{:.6f}\"",
                                r.of->group(), r.of->id, escaped(r.of->title), r.seconds);
  switch (r.verdict) {
    case Verdict::kFail:
      return out + ">\n" + trouble("failure", r) + "    </testcase>\n";
    case Verdict::kInconclusive:
      return out + ">\n" + trouble("error", r) + "    </testcase>\n";
    case Verdict::kNotApplicable:
    case Verdict::kNotRun:
      return out + fmt::format(">\n      <skipped message=\"{}: {}\"/>\n    </testcase>\n",
                               conformance::name_of(r.verdict), escaped(r.reason));
    case Verdict::kKnownDeviation:
      return out + fmt::format(
                       ">\n      <properties>\n        <property name=\"known_deviation\" value=\"{0}\"/>\n"
                       "      </properties>\n      <system-out>known deviation: {0}; observed: {1}"
                       "</system-out>\n    </testcase>\n",
                       escaped(r.deviation), escaped(observed(r)));
    case Verdict::kMeasured: {
      std::string figures;
      for (const auto& f : r.figures) figures += fmt::format("{}: {}\n", f.name, figure_words(f));
      return out + fmt::format(">\n      <system-out>{}</system-out>\n    </testcase>\n", escaped(figures));
    }
    case Verdict::kPass:
      break;
  }
  return out + "/>\n";
}

}  // namespace

std::string conformance_junit(const conformance::SuiteResult& result,
                              const conformance::Catalogue& catalogue) {
  std::vector<const CaseResult*> all;
  for (const CaseResult& r : result.cases) all.push_back(&r);
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites " +
                    attributes("softfeb conformance", counts_of(all)) + ">\n";
  for (const auto& group : catalogue.groups()) {
    std::vector<const CaseResult*> members;
    for (const CaseResult& r : result.cases) {
      if (r.of->group() == group.name) members.push_back(&r);
    }
    if (members.empty()) continue;
    out += "  <testsuite " + attributes(group.name + ": " + group.title, counts_of(members)) + ">\n";
    for (const CaseResult* r : members) out += test_case(*r);
    out += "  </testsuite>\n";
  }
  return out + "</testsuites>\n";
}

}  // namespace softfeb::report
