// SPDX-License-Identifier: BSD-3-Clause
#include "conformance_sample.hpp"
#include "report/conformance_result.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::report;
using Catch::Contains;
using Catch::EndsWith;
using Catch::StartsWith;

namespace {

const std::string& junit() {
  static const conformance::Catalogue kCatalogue = test::sample_catalogue();
  static const std::string kText = conformance_junit(test::sample_conformance(kCatalogue), kCatalogue);
  return kText;
}

/// Returns the element of a case with everything inside it.
std::string element_of(const std::string& id) {
  const std::size_t at = junit().find(" name=\"" + id + " ");
  REQUIRE(at != std::string::npos);
  const std::size_t begin = junit().rfind("<testcase", at), next = junit().find("<testcase", at);
  const std::string text = junit().substr(begin, next - begin);
  return text.substr(0, text.find('>') + 1 < text.size() && text[text.find('>') - 1] == '/'
                            ? text.find('>') + 1
                            : text.find("</testcase>") + 11);
}

std::size_t count(const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = junit().find(what, at)) != std::string::npos; ++at) ++n;
  return n;
}

}  // namespace

TEST_CASE("each group is a suite with its counts", "[conformance_junit]") {
  CHECK_THAT(junit(),
             StartsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"softfeb "
                        "conformance\" tests=\"234\" failures=\"4\" errors=\"1\" skipped=\"8\" time=\""));
  CHECK_THAT(junit(), Contains("<testsuite name=\"PSN: Packet sequence numbers\" tests=\"24\" failures=\"2\" "
                               "errors=\"0\" skipped=\"0\" time=\"") &&
                          Contains("<testsuite name=\"LOS: Loss and recovery\" tests=\"13\" failures=\"0\" "
                                   "errors=\"1\" skipped=\"0\" time=\""));
  CHECK_THAT(junit(), EndsWith("</testsuite>\n</testsuites>\n"));
  CHECK(count("<testsuite ") == 14);
  CHECK(count("</testsuite>") == 14);
  CHECK(count("<testcase ") == 234);
  CHECK(count("<failure ") == 4);
  CHECK(count("<error ") == 1);
  CHECK(count("<skipped ") == 8);
  CHECK(count("known_deviation") == 2);
}

TEST_CASE("a pass is empty", "[conformance_junit]") {
  CHECK(element_of("BAS-01") ==
        "<testcase classname=\"BAS\" name=\"BAS-01 Single-packet WRITE\" time=\"0.005002\"/>");
}

TEST_CASE("a failure says what was expected and observed", "[conformance_junit]") {
  const std::string text = element_of("PSN-04");
  CHECK_THAT(
      text,
      Contains("<failure message=\"expected: ACK PSN e; exactly one NAK 0x60 PSN e+1, MSN 1; e+2 is not "
               "written; the QP stays alive; observed: NAK 0x60 e+1, MSN 1\" type=\"fail\">unexpected "
               "NAK 0x60 PSN e+1, MSN 1\nStimulus: O(e,8)! O(e+2,8)!\nExpected: ACK PSN e; "));
  CHECK_THAT(text, Contains("\nObserved: NAK 0x60 e+1, MSN 1\nSection: 9.7.4.1.1; 9.9.3 class B\n"));
  CHECK_THAT(text, EndsWith("</failure>\n    </testcase>"));
  CHECK_THAT(element_of("BAS-08"), Contains("; observed: no ACK e+1 msn 2\""));
}

TEST_CASE("an inconclusive case is an error, with its reason", "[conformance_junit]") {
  CHECK_THAT(element_of("LOS-01"), Contains("<error message=\"expected: all bytes right; ") &&
                                       Contains("; observed: a fault rule was never "
                                                "hit\" type=\"inconclusive\">"));
}

TEST_CASE("a case that does not apply is skipped", "[conformance_junit]") {
  CHECK_THAT(element_of("OTH-01"), Contains("<skipped message=\"not applicable: "));
}

TEST_CASE("a known deviation passes, with a property and a line", "[conformance_junit]") {
  CHECK_THAT(
      element_of("LEN-17"),
      Contains(
          "<property name=\"known_deviation\" value=\"LAST is compared with the RETH&#39;s length\"/>") &&
          Contains("<system-out>known deviation: LAST is compared with the RETH&#39;s length; observed: NAK "
                   "0x61 e+1, MSN 0</system-out>"));
  CHECK_THAT(element_of("UC-08"),
             Contains("value=\"the case &lt;expects&gt; less &amp; &quot;this&quot; is more\""));
}

TEST_CASE("figures are in the output of their case", "[conformance_junit]") {
  CHECK_THAT(element_of("ACK-09"),
             Contains("<system-out>ack_p50: 2 us\nack_p99: 2 us\nack_max: 2 us\n</system-out>"));
}

TEST_CASE("checkers and cases that did not run are listed", "[conformance_junit]") {
  const conformance::Catalogue catalogue;
  conformance::SuiteResult suite;
  suite.cases.push_back(
      {.of = catalogue.find("BAS-01"), .verdict = conformance::Verdict::kFail, .reason = "a<b"});
  suite.cases.back().findings = {{.checker = "form", .text = "iCRC \x02 wrong"}};
  suite.cases.push_back({.of = catalogue.find("BAS-02"), .reason = "the run ended before"});
  const std::string text = conformance_junit(suite, catalogue);
  CHECK_THAT(text, Contains("; observed: a&lt;b\" type=\"fail\">a&lt;b\n") &&
                       Contains("\nChecker form: iCRC \xef\xbf\xbd wrong\n") &&
                       Contains("<skipped message=\"not run: the run ended before\"/>"));
  CHECK_THAT(text, Contains("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"1\""));
}
