// SPDX-License-Identifier: BSD-3-Clause
#include "report/conformance_progress.hpp"

#include "conformance_sample.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::report;
using conformance::CaseResult;
using conformance::Verdict;

namespace {

const conformance::Catalogue& plain_catalogue() {
  static const conformance::Catalogue kCatalogue;
  return kCatalogue;
}

CaseResult outcome(const char* id, Verdict verdict, const char* reason = "") {
  return {.of = plain_catalogue().find(id), .verdict = verdict, .reason = reason, .seconds = 0.25};
}

std::vector<std::string> lines_of(const std::vector<CaseResult>& cases) {
  std::vector<std::string> lines;
  ConformanceProgress progress(plain_catalogue(), [&](const std::string& line) { lines.push_back(line); });
  for (const CaseResult& r : cases) progress.on_case(r);
  progress.finish();
  progress.finish();  // prints nothing
  return lines;
}

std::string summary_of(std::vector<CaseResult> cases, bool strict = false) {
  conformance::SuiteResult suite{.cases = std::move(cases), .seconds = 1.25};
  return conformance_summary(suite, "", strict);
}

}  // namespace

TEST_CASE("each group has a line when it ends, and the columns line up", "[conformance_progress]") {
  const auto lines =
      lines_of({outcome("BAS-01", Verdict::kPass), outcome("BAS-02", Verdict::kPass),
                outcome("OTH-01", Verdict::kFail), outcome("OTH-02", Verdict::kFail),
                outcome("OTH-03", Verdict::kInconclusive), outcome("UC-01", Verdict::kNotApplicable)});
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "BAS  Basic WRITEs                         0.5 s  2 passed");
  CHECK(
      lines[1] ==
      "OTH  SEND, READ and atomic operations     0.8 s  2 failed (OTH-01, OTH-02), 1 inconclusive (OTH-03)");
  CHECK(lines[2] == "UC   Unreliable connection                0.2 s  1 not applicable");
  for (const std::string& line : lines) CHECK(line.find(" s  ") == lines[0].find(" s  "));
}

TEST_CASE("no title of a group breaks the columns", "[conformance_progress]") {
  std::vector<CaseResult> cases;
  for (const auto& group : plain_catalogue().groups())
    cases.push_back(outcome(group.cases.front().id.c_str(), Verdict::kPass));
  const auto lines = lines_of(cases);
  REQUIRE(lines.size() == plain_catalogue().groups().size());
  for (const std::string& line : lines) {
    CAPTURE(line);
    CHECK(line.find(" s  1 passed") == lines[0].find(" s  1 passed"));
  }
}

TEST_CASE("the summary says what was sent, expected and observed", "[conformance_progress]") {
  const conformance::Catalogue catalogue = test::sample_catalogue();
  const std::string text = conformance_summary(test::sample_conformance(catalogue), "out/", false);
  const conformance::Case& c = *catalogue.find("PSN-04");
  CHECK_THAT(text, Catch::StartsWith("✗ BAS-08 Zero-length WRITE: ") &&
                       Catch::Contains("observed: no ACK e+1 msn 2\n"));
  CHECK_THAT(text,
             Catch::Contains("\n✗ PSN-04 Gap: unexpected NAK 0x60 PSN e+1, MSN 1\n    sent:     " +
                             c.stimulus + "\n    expected: " + c.expected + " (" + c.section +
                             ")\n    observed: NAK 0x60 e+1, MSN 1\n    page:     out/cases/PSN-04.html\n"));
  CHECK_THAT(text, Catch::Contains("\n✗ MEM-02 ") &&
                       Catch::Contains("\n    observed: region 0, offset 0x4001: 77 88 ee "));
  CHECK_THAT(text, Catch::Contains("\n? LOS-01 One packet in 256: a fault rule was never hit\n"));
  CHECK_THAT(text, Catch::Contains("\nlisted by the profile, not seen: PSN-01\nfail: 234 cases: "));
  CHECK_THAT(text, Catch::Contains(", 4 failed, 2 known deviations, 1 inconclusive, "));
  CHECK_THAT(text, Catch::EndsWith(" s\npage: out/index.html\n"));
  CHECK_THAT(text, !Catch::Contains("LEN-17") && !Catch::Contains("not run"));
  CHECK_THAT(conformance_summary(test::sample_conformance(catalogue), "", true),
             Catch::Contains("not seen: PSN-01 (a failure: --strict)\n") && !Catch::Contains("page:"));
}

TEST_CASE("the summary of short runs", "[conformance_progress]") {
  CHECK(summary_of({}) == "pass: 0 cases; 1.2 s\n");
  CHECK(summary_of({outcome("BAS-01", Verdict::kKnownDeviation)}) ==
        "pass: 1 case: 1 known deviation; 1.2 s\n");
  CHECK(summary_of({outcome("BAS-01", Verdict::kPass), outcome("BAS-02", Verdict::kNotRun)}) ==
        "the run was ended before 1 case\nfail: 2 cases: 1 passed, 1 not run; 1.2 s\n");
  // The verdict is inconclusive, and nothing was observed.
  CHECK_THAT(summary_of({outcome("BAS-01", Verdict::kInconclusive, "the port dropped 3 packets")}),
             Catch::StartsWith("? BAS-01 Single-packet WRITE: the port dropped 3 packets\n") &&
                 !Catch::Contains("observed") && Catch::Contains("\ninconclusive: 1 case: 1 inconclusive; "));
}

TEST_CASE("the summary says why a run ended early", "[conformance_progress]") {
  conformance::SuiteResult suite{.cases = {outcome("BAS-01", Verdict::kNotRun)}};
  suite.no_baseline = "no WRITE was acknowledged";
  CHECK(conformance_summary(suite, "", false) ==
        "no baseline: no WRITE was acknowledged\nno baseline: 1 case: 1 not run; 0.0 s\n");
  suite.no_baseline.reset();
  suite.dead = "LEN-04";
  CHECK(conformance_summary(suite, "", false) ==
        "the target answers nothing any more; the last case before was LEN-04\nfail: 1 case: 1 not run; 0.0 "
        "s\n");
}

TEST_CASE("texts from the target cannot control the terminal", "[conformance_progress]") {
  CaseResult r = outcome("BAS-01", Verdict::kFail, "refused: \x1b[2J\nfake\x7f\xff \xc2\x9b µ");
  r.missing = {{.what = "ACK\r\x1b]0;x\x07"}};
  conformance::SuiteResult suite{.cases = {r}};
  suite.no_baseline = "last:\x1b[31m";
  const std::string text = conformance_summary(suite, "", false);
  CHECK_THAT(text, Catch::Contains("refused: ?[2J?fake?? ? µ\n") &&
                       Catch::Contains("observed: no ACK??]0;x?\n") &&
                       Catch::Contains("no baseline: last:?[31m\n"));
  CHECK(
      std::none_of(text.begin(), text.end(), [](char c) { return c == '\x1b' || c == '\r' || c == '\x07'; }));
}
