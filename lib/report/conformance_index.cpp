// SPDX-License-Identifier: BSD-3-Clause
// Builds the page of a conformance run.
#include "report/conformance_files.hpp"
#include "report/conformance_markup.hpp"
#include "report/conformance_pages.hpp"
#include "report/conformance_words.hpp"
#include "report/html_page.hpp"
#include "report/markup.hpp"

#include <array>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

using conformance::CaseResult;
using conformance::SuiteResult;
using conformance::Verdict;

constexpr std::array<const char*, 7> kLooks = {"held",  "failed",   "known", "other",
                                               "other", "measured", "other"};

std::string card(std::string_view name, const std::string& value) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(name), escaped(value));
}

std::string overall_badge(std::string_view verdict) {
  const bool passed = verdict == "pass", open = verdict == "inconclusive";
  return fmt::format("<span class=\"verdict {}\">{} {}</span>",
                     passed ? "held"
                     : open ? "other"
                            : "failed",
                     passed ? "✓"
                     : open ? "?"
                            : "✗",
                     verdict);
}

std::string total_cards(const SuiteResult& result) {
  const conformance::Totals t = totals_of(result);
  std::string out =
      "<dl class=\"cards\">\n" + card("passed", std::to_string(t.pass)) +
      card("failed", std::to_string(t.fail)) + card("known deviations", std::to_string(t.known_deviation)) +
      card("inconclusive", std::to_string(t.inconclusive)) + card("measured", std::to_string(t.measured)) +
      card("not applicable", std::to_string(t.not_applicable));
  if (t.not_run != 0) out += card("not run", std::to_string(t.not_run));
  return out + "</dl>\n";
}

std::string device_table(const SuiteResult& result) {
  const conformance::TargetDevice& d = result.device;
  std::string mac;
  for (const std::uint8_t byte : d.mac) mac += fmt::format("{}{:02x}", mac.empty() ? "" : ":", byte);
  const auto row = [](const char* name, const std::string& value) {
    return value.empty()
               ? ""
               : fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", name, escaped(value));
  };
  const conformance::Timing& t = result.timing;
  return "<table><tbody>\n" + row("device", d.name) + row("driver", d.driver) + row("firmware", d.firmware) +
         row("address", d.ip.to_string() + ", " + mac) + row("target", result.target) +
         row("profile", result.profile) +
         row("round trip",
             time_words(t.round_trip_p50) + " (p50), " + time_words(t.round_trip_p99) + " (p99)") +
         row("answers awaited for", time_words(t.silence)) + row("seed", std::to_string(result.seed)) +
         row("duration", fmt::format("{:.4g} s", result.seconds)) + "</tbody></table>\n";
}

std::string case_row(const CaseResult& r) {
  std::string why = r.reason;
  if (r.verdict == Verdict::kKnownDeviation) why = r.deviation;
  if (r.verdict == Verdict::kMeasured) {
    for (const auto& f : r.figures) why += (why.empty() ? "" : ", ") + f.name + " " + figure_words(f);
  }
  return fmt::format(
      "<tr><td><a href=\"{}\">{}</a></td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
      "<td class=\"why\">{}</td></tr>\n",
      page_of(*r.of), r.of->id, escaped(r.of->title), verdict_badge(r.verdict, true),
      conformance::name_of(r.of->level), conformance::name_of(r.of->severity), escaped(why));
}

constexpr const char* kTableHead =
    "<thead><tr><th>case</th><th>title</th><th>verdict</th><th>level</th><th>severity</th><th>why</th></tr></"
    "thead>"
    "<tbody>\n";

std::string table_of(const std::vector<const CaseResult*>& cases) {
  std::string out = std::string("<div class=\"scroll\"><table class=\"cases\">") + kTableHead;
  for (const CaseResult* r : cases) out += case_row(*r);
  return out + "</tbody></table></div>\n";
}

std::string trouble(const SuiteResult& result) {
  std::string out;
  if (result.no_baseline)
    out += "<p class=\"reason\">No baseline: " + escaped(*result.no_baseline) + "</p>\n";
  if (result.dead)
    out += "<p class=\"reason\">The target answers nothing any more. The last case before was " +
           escaped(*result.dead) + ".</p>\n";
  std::vector<const CaseResult*> open;
  for (const CaseResult& r : result.cases) {
    if (r.verdict == Verdict::kFail || r.verdict == Verdict::kInconclusive) open.push_back(&r);
  }
  if (!open.empty())
    out +=
        "<section id=\"failed\"><h2>Failed and inconclusive cases</h2>\n" + table_of(open) + "</section>\n";
  if (result.not_seen.empty()) return out;
  std::string names;
  for (const std::string& id : result.not_seen) names += (names.empty() ? "" : ", ") + id;
  return out + "<section id=\"not-seen\"><h2>Listed by the profile, not seen</h2>\n<p>" + escaped(names) +
         "</p></section>\n";
}

std::string groups(const SuiteResult& result, const conformance::Catalogue& catalogue) {
  std::string out, links;
  for (const auto& group : catalogue.groups()) {
    std::vector<const CaseResult*> members;
    for (const CaseResult& r : result.cases) {
      if (r.of->group() == group.name) members.push_back(&r);
    }
    if (members.empty()) continue;
    links += fmt::format("<li><a href=\"#{0}\">{0}</a></li>", group.name);
    out += fmt::format("<section id=\"{0}\"><h2>{0}: {1}</h2>\n{2}</section>\n", group.name,
                       escaped(group.title), table_of(members));
  }
  return "<nav aria-label=\"Groups\"><ul>" + links + "</ul></nav>\n" + out;
}

}  // namespace

std::string verdict_badge(Verdict verdict, bool small) {
  return fmt::format("<span class=\"verdict {}{}\">{} {}</span>", small ? "small " : "",
                     kLooks[static_cast<std::size_t>(verdict)], sign_of(verdict),
                     conformance::name_of(verdict));
}

std::string html_document(const std::string& title, const std::string& header, const std::string& main) {
  return html_page(title + " – softfeb conformance", conformance_style(), header, main);
}

std::string conformance_index(const SuiteResult& result, const conformance::Catalogue& catalogue,
                              bool strict) {
  const std::string title =
      "Conformance of " + (result.device.name.empty() ? result.target : result.device.name);
  const std::string header = "<h1>" + escaped(title) + "</h1>\n<p>" +
                             overall_badge(overall_verdict(result, strict)) + "</p>\n" + total_cards(result);
  const std::string files =
      "<section id=\"files\"><h2>Files</h2>\n<ul><li><a href=\"result.json\">result.json</a></li><li><a "
      "href=\"junit.xml\">junit.xml</a></li><li><a href=\"profile.yaml\">profile.yaml</a></li><li><a "
      "href=\"config.yaml\">config.yaml</a></li></ul></section>\n";
  return html_document(title, header,
                       trouble(result) + "<section id=\"device\"><h2>Device</h2>\n" + device_table(result) +
                           "</section>\n" + groups(result, catalogue) + files);
}

}  // namespace softfeb::report
