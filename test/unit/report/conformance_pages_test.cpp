// SPDX-License-Identifier: BSD-3-Clause
#include "report/conformance_pages.hpp"

#include "conformance_sample.hpp"
#include "report/conformance_files.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::report;
using Catch::Contains;
using conformance::CaseResult;
using conformance::SuiteResult;
using conformance::TracePacket;

namespace {

const conformance::Catalogue& catalogue_of_pages() {
  static const conformance::Catalogue kCatalogue = test::sample_catalogue();
  return kCatalogue;
}

SuiteResult& suite_of_pages() {
  static SuiteResult kSuite = test::sample_conformance(catalogue_of_pages());
  return kSuite;
}

std::string page(std::string_view id) {
  return conformance_case_page(suite_of_pages(), test::case_result(suite_of_pages(), id), nullptr, nullptr);
}

std::string index_page(bool strict = false) {
  return conformance_index(suite_of_pages(), catalogue_of_pages(), strict);
}

/// Returns the targets of the links of the page (the values of href).
std::vector<std::string> links_of(const std::string& html) {
  constexpr std::string_view kStart = "href=\"";
  std::vector<std::string> out;
  for (std::size_t at = 0; (at = html.find(kStart, at)) != std::string::npos;) {
    at += kStart.size();
    out.push_back(html.substr(at, html.find('"', at) - at));
  }
  return out;
}

/// Checks that there are as many opening as closing tags of each element that needs a closing tag.
void check_tags(const std::string& html) {
  for (const std::string name :
       {"html",  "body", "main", "section", "table", "tbody", "tr",   "td",  "th", "svg",  "text",
        "tspan", "dl",   "dd",   "ul",      "li",    "p",     "span", "div", "a",  "code", "b"}) {
    std::size_t opened = 0, closed = 0;
    for (std::size_t at = 0; (at = html.find("<" + name, at)) != std::string::npos; ++at) {
      const char next = html[at + 1 + name.size()];
      if (next == '>' || next == ' ') ++opened;
    }
    for (std::size_t at = 0; (at = html.find("</" + name + ">", at)) != std::string::npos; ++at) ++closed;
    CAPTURE(name);
    CHECK(opened == closed);
  }
}

}  // namespace

TEST_CASE("pages need nothing from elsewhere", "[conformance_pages]") {
  for (const std::string& html : {index_page(), page("PSN-09"), page("MEM-02"), page("LOS-01")}) {
    CHECK_THAT(html, Catch::StartsWith("<!DOCTYPE html>\n<html lang=\"en\">"));
    CHECK_THAT(html, Contains("<meta charset=\"utf-8\">") && Contains("svg.ladder"));
    CHECK_THAT(html, !Contains("<script") && !Contains("src=") && !Contains("@import") && !Contains("url("));
    for (const std::string& link : links_of(html)) CHECK(link.find("//") == std::string::npos);
    check_tags(html);
  }
}

TEST_CASE("the page of a case shows its rule, its packets and its end", "[conformance_pages]") {
  const std::string html = page("PSN-04");
  CHECK_THAT(html, Contains("<title>PSN-04: Gap – softfeb conformance</title>") &&
                       Contains("<h1>PSN-04: Gap</h1>") &&
                       Contains("<span class=\"verdict failed\">✗ fail</span>") &&
                       Contains("<p class=\"reason\">unexpected NAK 0x60 PSN e+1, MSN 1</p>"));
  CHECK_THAT(html, Contains("<dt>stimulus</dt><dd>O(e,8)! O(e+2,8)!</dd>") &&
                       Contains("<dt>expected</dt><dd>ACK PSN e; exactly one") &&
                       Contains("<dt>section</dt><dd>9.7.4.1.1; 9.9.3 class B</dd>") &&
                       Contains("<dt>level, severity</dt><dd>shall, critical</dd>"));
  CHECK_THAT(html, Contains("<svg class=\"ladder\"") && Contains("href=\"PSN-04.pcapng\"") &&
                       Contains("<dt>state of the queue pair</dt><dd>RTS</dd>"));
  CHECK_THAT(html, !Contains("id=\"memory\"") && !Contains("id=\"completions\"") &&
                       !Contains("id=\"faults\"") && !Contains("the profile says"));
}

TEST_CASE("a page leads to the cases beside it", "[conformance_pages]") {
  const auto& cases = suite_of_pages().cases;
  const std::string html = conformance_case_page(suite_of_pages(), cases[1], &cases[0], &cases[2]);
  const auto links = links_of(html);
  for (const char* link : {"../index.html", "BAS-01.html", "BAS-03.html", "BAS-02.pcapng"})
    CHECK(std::find(links.begin(), links.end(), link) != links.end());
  CHECK_THAT(page("BAS-01"), !Contains("previous:") && !Contains("next:"));
}

TEST_CASE("wrong bytes are marked", "[conformance_pages]") {
  CHECK_THAT(page("MEM-02"), Contains("<code>0x4001</code>") &&
                                 Contains("<td class=\"hex\"><b>ee</b> <b>ee</b> ee ee") &&
                                 Contains("<td class=\"hex\"><b>77</b> <b>88</b> ee ee") &&
                                 Contains("guard: a byte that no packet may change was changed"));
}

TEST_CASE("the page of a known deviation quotes the profile", "[conformance_pages]") {
  CHECK_THAT(page("LEN-17"),
             Contains("<span class=\"verdict known\">≈ known deviation</span>") &&
                 Contains("<dt>the profile says</dt><dd>LAST is compared with the RETH&#39;s length</dd>") &&
                 Contains("<p class=\"reason soft\">"));
  CHECK_THAT(page("UC-08"),
             Contains("<dd>the case &lt;expects&gt; less &amp; &quot;this&quot; is more</dd>"));
}

TEST_CASE("figures, rules, completions and findings have tables", "[conformance_pages]") {
  CHECK_THAT(page("ACK-09"),
             Contains("<tr><td>ack_p50</td><td class=\"n\">2 us</td><td class=\"n\">none</td></tr>") &&
                 Contains("<tr><td>ack_p99</td><td class=\"n\">2 us</td><td class=\"n\">1000 ✓</td></tr>"));
  CHECK_THAT(page("LOS-01"),
             Contains("<tr><td><code>{on: {qp: any, psn: +9}, do: {delay: 300us}}</code></td><td "
                      "class=\"n\">0</td></tr>") &&
                 Contains("<td>&lt;b&gt;\xef\xbf\xbd\xef\xbf\xbd &amp; &quot;flushed&quot;&lt;/b&gt;</td>") &&
                 Contains("<dt>packets for queue pairs of earlier cases</dt><dd>1</dd>") &&
                 Contains("<dt>attempts</dt><dd>2</dd>"));
  const conformance::Case& c = *catalogue_of_pages().find("BAS-01");
  CaseResult r{.of = &c, .verdict = conformance::Verdict::kFail};
  r.figures = {{.name = "p99", .value = 2, .unit = "s", .limit = 1}};
  r.findings = {{.checker = "form", .text = "iCRC <wrong>"}};
  r.completions = {{.qp = 0x12, .length = 8, .immediate = 0x1234}};
  const std::string html = conformance_case_page(suite_of_pages(), r, nullptr, nullptr);
  CHECK_THAT(html, Contains("<td class=\"n\">1 ✗ exceeded</td>") &&
                       Contains("<li>checker <em>form</em>: iCRC &lt;wrong&gt;</li>") &&
                       Contains("<td>success</td><td class=\"n\">8 B</td><td><code>0x00001234</code></td>"));
  CHECK_THAT(html, !Contains("id=\"packets\""));
}

TEST_CASE("the index counts, lists and links every case", "[conformance_pages]") {
  const std::string html = index_page();
  CHECK_THAT(html, Contains("<h1>Conformance of softfeb</h1>") &&
                       Contains("<span class=\"verdict failed\">✗ fail</span>") &&
                       Contains("<dt>failed</dt><dd>4</dd>") &&
                       Contains("<dt>known deviations</dt><dd>2</dd>") && !Contains("<dt>not run</dt>"));
  const auto links = links_of(html);
  for (const CaseResult& r : suite_of_pages().cases)
    CHECK(std::count(links.begin(), links.end(), "cases/" + r.of->id + ".html") ==
          (r.verdict == conformance::Verdict::kFail || r.verdict == conformance::Verdict::kInconclusive ? 2
                                                                                                        : 1));
  for (const char* link : {"result.json", "junit.xml", "profile.yaml", "config.yaml", "#PSN"})
    CHECK(std::count(links.begin(), links.end(), link) == 1);
  CHECK_THAT(html, Contains("<section id=\"not-seen\">") && Contains("<p>PSN-01</p>") &&
                       Contains("<th scope=\"row\">target</th><td>own:</td>") &&
                       Contains("10.0.0.2, 02:00:00:00:00:02") &&
                       Contains("<td class=\"why\">ack_p50 2 us, ack_p99 2 us, ack_max 2 us</td>") &&
                       Contains("<td class=\"why\">the case &lt;expects&gt; less"));
}

TEST_CASE("the index says why a run ended early, in escaped words", "[conformance_pages]") {
  SuiteResult suite;
  suite.device = {.name = "<rxe0>", .driver = "a&b", .firmware = "\x02"};
  suite.no_baseline = "last: <NAK>";
  suite.dead = "LEN-04";
  suite.cases.push_back({.of = catalogue_of_pages().find("BAS-01")});
  const std::string html = conformance_index(suite, catalogue_of_pages(), false);
  CHECK_THAT(html, Contains("<h1>Conformance of &lt;rxe0&gt;</h1>") && Contains("<td>a&amp;b</td>") &&
                       Contains("<td>\xef\xbf\xbd</td>") && Contains("No baseline: last: &lt;NAK&gt;</p>") &&
                       Contains("The last case before was LEN-04.") && Contains("✗ no baseline</span>") &&
                       Contains("<dt>not run</dt><dd>1</dd>"));
  suite = {};
  suite.target = "sink://h";
  CHECK_THAT(conformance_index(suite, catalogue_of_pages(), false),
             Contains("<h1>Conformance of sink://h</h1>") && Contains("verdict held\">✓ pass"));
  suite.not_seen = {"PSN-01"};
  CHECK_THAT(conformance_index(suite, catalogue_of_pages(), true), Contains("✗ fail</span>"));
}

TEST_CASE("the capture has three interfaces and a comment for each packet", "[conformance_pages]") {
  CaseResult& los = test::case_result(suite_of_pages(), "LOS-01");
  const std::string bytes = conformance_capture(los);
  CHECK_THAT(bytes, Contains("LOS-01 One packet in 256: inconclusive: a fault rule was never hit") &&
                        Contains("requester") && Contains("receiver") && Contains("not sent") &&
                        Contains("not sent: rule 1: drop"));
  const auto interface_of = [&](const std::string& comment) {
    const std::size_t at = bytes.find(comment);
    REQUIRE(at != std::string::npos);
    const std::size_t block = bytes.rfind(std::string("\x06\0\0\0", 4), at);
    REQUIRE(block != std::string::npos);
    return static_cast<int>(bytes[block + 8]);
  };
  CHECK(interface_of("rule 2: duplicate") == 0);
  CHECK(interface_of("for a queue pair of an earlier case") == 1);
  CHECK(interface_of("not sent: rule 1: drop") == 2);
  CaseResult empty = los;
  for (TracePacket& p : empty.trace) p.frame.clear();
  CHECK(has_capture(los));
  CHECK_FALSE(has_capture(empty));
  CHECK_THAT(conformance_capture(empty), !Contains("rule 2"));
}
