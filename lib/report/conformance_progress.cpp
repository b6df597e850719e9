// SPDX-License-Identifier: BSD-3-Clause
#include "report/conformance_progress.hpp"

#include "report/conformance_words.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

using conformance::CaseResult;
using conformance::SuiteResult;
using conformance::Verdict;

/// "18 passed, 1 failed, 2 not applicable": counts that are 0 are left out.
std::string counts(const conformance::Totals& t) {
  std::string out;
  const auto add = [&](std::size_t n, const char* words) {
    if (n != 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", n, words);
  };
  add(t.pass, "passed");
  add(t.fail, "failed");
  add(t.known_deviation, t.known_deviation == 1 ? "known deviation" : "known deviations");
  add(t.inconclusive, "inconclusive");
  add(t.measured, "measured");
  add(t.not_applicable, "not applicable");
  add(t.not_run, "not run");
  return out.empty() ? "nothing" : out;
}

/// "; failed: PSN-04, PSN-09"
std::string named(const SuiteResult& result, Verdict verdict) {
  std::string out;
  for (const CaseResult& r : result.cases) {
    if (r.verdict == verdict) out += (out.empty() ? "" : ", ") + r.of->id;
  }
  return out.empty() ? "" : fmt::format("; {}: {}", conformance::name_of(verdict), out);
}

/// Texts from the target may contain control sequences of terminals.
std::string printable(const std::string& text) {
  std::string out;
  for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return out;
}

std::string trouble_of(const CaseResult& r) {
  return fmt::format("{} {} {}: {}\n    sent:     {}\n    expected: {} ({})\n    observed: {}\n",
                     sign_of(r.verdict), r.of->id, r.of->title, printable(r.reason), r.of->stimulus,
                     r.of->expected, r.of->section, printable(observed_words(r)));
}

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
  print_(fmt::format("{:<4} {:<28} {:>8.1f} s  {}{}{}", name, group == nullptr ? "" : group->title, seconds,
                     counts(totals_of(group_)), named(group_, Verdict::kFail),
                     named(group_, Verdict::kInconclusive)));
  group_.cases.clear();
}

std::string conformance_summary(const SuiteResult& result, const std::string& folder, bool strict) {
  std::string out;
  for (const CaseResult& r : result.cases) {
    if (r.verdict == Verdict::kFail || r.verdict == Verdict::kInconclusive) out += trouble_of(r);
  }
  if (result.no_baseline) out += "no baseline: " + printable(*result.no_baseline) + "\n";
  if (result.dead)
    out += "the target answers nothing any more; the last case before was " + *result.dead + "\n";
  if (!result.not_seen.empty()) {
    out += "listed by the profile, not seen: ";
    for (std::size_t k = 0; k < result.not_seen.size(); ++k) out += (k == 0 ? "" : ", ") + result.not_seen[k];
    out += strict ? " (a failure: --strict)\n" : "\n";
  }
  out += fmt::format("{}: {} cases: {}; {:.1f} s\n", overall_verdict(result, strict), result.cases.size(),
                     counts(totals_of(result)), result.seconds);
  if (!folder.empty()) out += "page: " + (std::filesystem::path(folder) / "index.html").string() + "\n";
  return out;
}

}  // namespace softfeb::report
