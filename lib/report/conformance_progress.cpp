// SPDX-License-Identifier: BSD-3-Clause
#include "report/conformance_progress.hpp"

#include "report/conformance_files.hpp"
#include "report/conformance_words.hpp"
#include "report/markup.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

using conformance::CaseResult;
using conformance::SuiteResult;
using conformance::Verdict;

/// Lists the cases with this verdict, for example " (PSN-04, PSN-09)".
std::string named(const SuiteResult& result, Verdict verdict) {
  std::string out;
  for (const CaseResult& r : result.cases) {
    if (r.verdict == verdict) out += (out.empty() ? " (" : ", ") + r.of->id;
  }
  return out + ")";
}

/// Formats the totals, for example "18 passed, 1 failed, 2 not applicable", without counts that are 0. If
/// `names` is true, also lists the cases that failed or are inconclusive.
std::string counts(const SuiteResult& result, bool names) {
  const conformance::Totals t = totals_of(result);
  std::string out;
  const auto add = [&](std::size_t n, const char* words, std::optional<Verdict> verdict = std::nullopt) {
    if (n == 0) return;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", n, words);
    if (names && verdict) out += named(result, *verdict);
  };
  add(t.pass, "passed");
  add(t.fail, "failed", Verdict::kFail);
  add(t.known_deviation, t.known_deviation == 1 ? "known deviation" : "known deviations");
  add(t.inconclusive, "inconclusive", Verdict::kInconclusive);
  add(t.measured, "measured");
  add(t.not_applicable, "not applicable");
  add(t.not_run, "not run");
  return out;
}

/// Describes a case that failed or is inconclusive. `folder` is the folder of the report; it is empty if
/// there is no report.
std::string trouble_of(const CaseResult& r, const std::string& folder) {
  std::string out =
      fmt::format("{} {} {}: {}\n    sent:     {}\n    expected: {} ({})\n", sign_of(r.verdict), r.of->id,
                  r.of->title, printable(r.reason), r.of->stimulus, r.of->expected, r.of->section);
  const std::string observed = observed_words(r);
  if (!observed.empty()) out += fmt::format("    observed: {}\n", printable(observed));
  if (!folder.empty())
    out += "    page:     " + (std::filesystem::path(folder) / page_of(*r.of)).string() + "\n";
  return out;
}

/// Width of the column with the titles of groups.
std::size_t widest_title(const conformance::Catalogue& catalogue) {
  std::size_t out = 0;
  for (const auto& group : catalogue.groups()) out = std::max(out, group.title.size());
  return out;
}

std::string cases_words(std::size_t n) { return fmt::format("{} {}", n, n == 1 ? "case" : "cases"); }

}  // namespace

void ConformanceProgress::on_case(const CaseResult& result) {
  const auto& cases = group_.cases;
  if (!cases.empty() && cases.front().of->group() != result.of->group()) finish();
  CaseResult kept{.of = result.of, .verdict = result.verdict, .seconds = result.seconds};
  group_.cases.push_back(std::move(kept));
}

void ConformanceProgress::finish() {
  if (group_.cases.empty()) return;
  const std::string name(group_.cases.front().of->group());
  const conformance::CaseGroup* const group = catalogue_.find_group(name);
  double seconds = 0;
  for (const CaseResult& r : group_.cases) seconds += r.seconds;
  print_(fmt::format("{:<4} {:<{}} {:>7.1f} s  {}", name, group == nullptr ? "" : group->title,
                     widest_title(catalogue_), seconds, counts(group_, true)));
  group_.cases.clear();
}

std::string conformance_summary(const SuiteResult& result, const std::string& folder, bool strict) {
  std::string out;
  for (const CaseResult& r : result.cases) {
    if (r.verdict == Verdict::kFail || r.verdict == Verdict::kInconclusive) out += trouble_of(r, folder);
  }
  if (result.no_baseline) out += "no baseline: " + printable(*result.no_baseline) + "\n";
  if (result.dead)
    out += "the target answers nothing any more; the last case before was " + *result.dead + "\n";
  if (!result.not_seen.empty()) {
    out += "listed by the profile, not seen: ";
    for (std::size_t k = 0; k < result.not_seen.size(); ++k) out += (k == 0 ? "" : ", ") + result.not_seen[k];
    out += strict ? " (a failure: --strict)\n" : "\n";
  }
  const std::size_t not_run = totals_of(result).not_run;
  if (not_run != 0 && !result.dead && !result.no_baseline)
    out += fmt::format("the run was ended before {}\n", cases_words(not_run));
  const std::string all = counts(result, false);
  out += fmt::format("{}: {}{}{}; {:.1f} s\n", overall_verdict(result, strict),
                     cases_words(result.cases.size()), all.empty() ? "" : ": ", all, result.seconds);
  if (!folder.empty()) out += "page: " + (std::filesystem::path(folder) / "index.html").string() + "\n";
  return out;
}

}  // namespace softfeb::report
