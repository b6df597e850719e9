// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/error.hpp"
#include "report/switch_markup.hpp"
#include "switch_sample.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::report;
using Catch::Contains;
using Catch::StartsWith;

namespace {

namespace fs = std::filesystem;

/// Checks that there are as many opening as closing tags of each element that needs a closing tag.
void check_balance(const std::string& html) {
  for (const std::string name :
       {"html",   "body",       "main", "section", "table", "tbody",   "thead", "tr",    "td",  "th", "svg",
        "text",   "dl",         "dd",   "dt",      "ul",    "li",      "p",     "span",  "div", "a",  "small",
        "figure", "figcaption", "b",    "details", "pre",   "summary", "i",     "title", "g",   "h2"}) {
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

std::string section_of(const std::string& html, const std::string& id) {
  const std::size_t at = html.find("<section id=\"" + id + "\"");
  return at == std::string::npos ? "" : html.substr(at, html.find("</section>", at) - at);
}

class TestFolder {
 public:
  TestFolder() {
    std::string name = (fs::temp_directory_path() / "softfeb-switch-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TestFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string contents_of_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("pages of switch tests need nothing from elsewhere", "[switch_pages]") {
  for (const SwitchRun& run :
       {test::sample_switch_run(), test::hostile_switch_run(), test::large_switch_run(), SwitchRun{}})
    for (const std::string& html : {switch_page(run), switch_data_sheet(run)}) {
      CHECK_THAT(html, StartsWith("<!DOCTYPE html>\n<html lang=\"en\">"));
      CHECK_THAT(html, !Contains("<script") && !Contains("src=") && !Contains("@import") &&
                           !Contains("url(") && !Contains("http"));
      check_balance(html);
    }
}

TEST_CASE("texts from outside are escaped in pages", "[switch_pages]") {
  const SwitchRun run = test::hostile_switch_run();
  for (const std::string& html : {switch_page(run), switch_data_sheet(run)})
    CHECK_THAT(html, !Contains("<b onload") && !Contains("onload='x'") && !Contains("\x1b") &&
                         !Contains("\xff") && Contains("&lt;b onload=&#39;x&#39;&gt;&amp;&quot;"));
}

TEST_CASE("the page has all tests, with tables and charts", "[switch_pages]") {
  const std::string html = switch_page(test::sample_switch_run());
  CHECK_THAT(html, Contains("<h1>Test of ACME 100</h1>") && Contains("verdict failed\">✗ failed</span>") &&
                       Contains("<dt>inconclusive</dt><dd>1</dd>") &&
                       Contains("<dt>undecided</dt><dd>2</dd>"));
  for (const char* name :
       {"preflight", "dscp", "throughput", "latency", "buffer", "ecn", "xoff", "victim", "storm"}) {
    CAPTURE(name);
    CHECK_THAT(html, Contains("<a href=\"#test-" + std::string(name) + "\">"));
    CHECK_FALSE(section_of(html, "test-" + std::string(name)).empty());
  }
  const std::string ecn = section_of(html, "test-ecn");
  CHECK_THAT(ecn,
             Contains("<svg") &&
                 Contains("<th scope=\"row\">kmin_bytes</th><td class=\"n\">102413 B</td>"
                          "<td class=\"interval\">101220 to 103601</td><td>fit</td><td class=\"n\">200</td>"
                          "<td class=\"expected\">{max: 101KiB}</td>"));
  CHECK_THAT(section_of(html, "test-victim"),
             Contains("? unresolvable</span>") && Contains("the test needs 4 ports, and the rig has 3</p>"));
  CHECK_THAT(
      section_of(html, "test-throughput"),
      Contains("2 trials, 1 of them void: a worker was not run for 1 ms") &&
          Contains("<th scope=\"row\">one</th><th scope=\"row\">78</th><td class=\"n\">0.912<br><small>0.912 "
                   "to 0.913</small> <span class=\"failed\""));
  CHECK_THAT(section_of(html, "test-latency"), Contains("<summary>All 288 figures by load, size</summary>"));
  CHECK_THAT(section_of(html, "failed"),
             Contains("<td class=\"expected\">{min: 99.9%}</td>") && Contains("0.912 is below 0.999") &&
                 Contains("the test has no such figure") && !Contains("{max: 101KiB}"));
  CHECK_THAT(section_of(html, "configuration"), Contains("&quot;rig&quot;: &quot;virtual&quot;"));
}

TEST_CASE("a page without failures has no section of failures", "[switch_pages]") {
  const std::string html = switch_page(test::large_switch_run());
  CHECK(section_of(html, "failed").empty());
  CHECK_THAT(html, !Contains("expectations held"));
}

TEST_CASE("an interrupted run says so on the page", "[switch_pages]") {
  SwitchRun run = test::sample_switch_run();
  CHECK_THAT(switch_page(run), !Contains("The run was interrupted"));
  run.report.interrupted = true;
  CHECK_THAT(switch_page(run), Contains("The run was interrupted") && Contains("✗ interrupted</span>"));
}

TEST_CASE("the data sheet has conditions, figures, settings, and what is unresolved", "[switch_pages]") {
  const std::string html = switch_data_sheet(test::sample_switch_run());
  CHECK_THAT(html, Contains("<h1>Data sheet: ACME 100</h1>") && Contains("<dt>software</dt><dd>4.2.1</dd>") &&
                       Contains("<dt>date</dt><dd>2026-11-26</dd>") && Contains("<dt>seed</dt><dd>42</dd>") &&
                       Contains("<dd>virtual: p0, p1 at 10 Gb/s; p2 at 25 Gb/s</dd>"));
  CHECK_THAT(
      html, Contains("<dt>Kmin</dt><dd><b>102413 B (100.01 KiB)</b> <i>101220 to 103601</i></dd>") &&
                Contains("<dt>XOFF</dt><dd><b>260625 B (254.52 KiB)</b>") &&
                Contains("<dt>headroom for this cable</dt><dd>– <i>the test headroom did not run</i></dd>") &&
                Contains("<dt>alpha</dt><dd>– <i>unresolvable: the port limit hides it</i></dd>"));
  CHECK_THAT(html, Contains("<li><span>queue_bytes[queue=1]</span> <span class=\"v\"><b>1048572 B</b> "
                            "<i>1048572 to 1049594</i></span></li>"));
  CHECK_THAT(html, Contains("<li><b>buffer.alpha</b>: the port limit hides it</li>") &&
                       Contains("<li><b>victim</b>: the test needs 4 ports, and the rig has 3</li>") &&
                       Contains("<li><b>storm</b>: inconclusive: too many trials"));
  CHECK_THAT(html, !Contains("do not fit"));
}

TEST_CASE("a sheet without a name or tests is still a sheet", "[switch_pages]") {
  CHECK_THAT(switch_data_sheet(SwitchRun{}), Contains("Data sheet: unnamed switch") &&
                                                 !Contains("<dt>software") &&
                                                 Contains("Nothing stayed unresolved."));
}

TEST_CASE("settings of several queues are ranges", "[switch_pages]") {
  SwitchRun run;
  switchtest::TestReport xoff{.name = "xoff"};
  for (int k = 0; k < 3; ++k)
    xoff.figures.push_back({.name = "xoff_bytes",
                            .labels = {{"class", std::to_string(k)}},
                            .value = 1000.0 + k,
                            .low = 1000.0 + k,
                            .high = 1000.0 + k,
                            .unit = "B"});
  run.report.tests = {xoff};
  const auto settings = settings_to_copy(run);
  REQUIRE(settings.size() == 7);
  CHECK(settings[3].name == "XOFF");
  CHECK(settings[3].value == "1000 to 1002 B");
  CHECK(settings[4].remark == "not measured");
}

TEST_CASE("rows that do not fit on the data sheet are counted", "[switch_pages]") {
  SwitchRun run = test::large_switch_run();
  CHECK_THAT(switch_data_sheet(run), !Contains("do not fit"));
  for (int k = 0; k < 600; ++k)
    run.report.tests[1].figures.push_back(
        {.name = "name" + std::to_string(k), .value = k, .low = k, .high = k, .unit = "B"});
  const std::string html = switch_data_sheet(run);
  CHECK_THAT(html, Contains(" further lines do not fit here") && Contains("--fit: 5.50pt"));
  CHECK_THAT(html, Contains("<span>obeys_pauses</span>") && !Contains("<span>name599</span>"));
}

TEST_CASE("the report of a switch test is a folder of four files", "[switch_files]") {
  const TestFolder folder;
  const fs::path path = folder.path() / "a" / "b";
  const SwitchRun run = test::sample_switch_run();
  check_switch_folder(path.string());
  CHECK(fs::is_empty(path));
  write_switch_report(run, path.string());
  CHECK(contents_of_file(path / "index.html") == switch_page(run));
  CHECK(contents_of_file(path / "datasheet.html") == switch_data_sheet(run));
  CHECK(contents_of_file(path / "result.json") == switch_result_text(run));
  CHECK(contents_of_file(path / "junit.xml") == switch_junit(run));
  CHECK(std::distance(fs::directory_iterator(path), fs::directory_iterator()) == 4);
  write_switch_report(run, path.string());  // replaces the files
}

TEST_CASE("a folder that cannot be written is an error", "[switch_files]") {
  const TestFolder folder;
  std::ofstream(folder.path() / "file") << "x";
  CHECK_THROWS_AS(check_switch_folder((folder.path() / "file").string()), dataplane::EnvironmentError);
  fs::create_directories(folder.path() / "d" / "index.html");
  CHECK_THROWS_AS(check_switch_folder((folder.path() / "d").string()), dataplane::EnvironmentError);
}
