// SPDX-License-Identifier: BSD-3-Clause
// Builds the page of a case.
#include "report/conformance_files.hpp"
#include "report/conformance_markup.hpp"
#include "report/conformance_pages.hpp"
#include "report/conformance_words.hpp"
#include "report/markup.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

using conformance::CaseResult;
using conformance::Verdict;

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

std::string definition(const std::string& term, const std::string& text) {
  return text.empty() ? "" : fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(term), escaped(text));
}

std::string navigation(const CaseResult* previous, const CaseResult* next) {
  const auto link = [](const CaseResult* r, const char* words) {
    return r == nullptr ? std::string()
                        : fmt::format("<li>{}: <a href=\"{}\">{}</a></li>", words, file_name(page_of(*r->of)),
                                      r->of->id);
  };
  return "<nav aria-label=\"Cases\"><ul><li><a href=\"../index.html\">All cases</a></li>" +
         link(previous, "previous") + link(next, "next") + "</ul></nav>\n";
}

std::string rule(const CaseResult& r) {
  const conformance::Case& c = *r.of;
  const std::string needs = conformance::text_of(c.needs);
  return "<section id=\"rule\"><h2>The rule</h2>\n<dl class=\"rule\">\n" +
         definition("stimulus", c.stimulus) + definition("expected", c.expected) +
         definition("section", c.section) + definition("service, opcodes", c.service + ", " + c.opcodes) +
         definition("level, severity",
                    fmt::format("{}, {}", conformance::name_of(c.level), conformance::name_of(c.severity))) +
         definition("needs", needs) + definition("the profile says", r.deviation) + "</dl></section>\n";
}

std::string reason(const CaseResult& r) {
  std::string out;
  const bool failed = r.verdict == Verdict::kFail;
  if (!r.reason.empty())
    out += fmt::format("<p class=\"reason{}\">{}</p>\n", failed ? "" : " soft", escaped(r.reason));
  if (r.findings.empty()) return out;
  out += "<ul>\n";
  for (const auto& f : r.findings)
    out += fmt::format("<li>checker <em>{}</em>: {}</li>\n", escaped(f.checker), escaped(f.text));
  return out + "</ul>\n";
}

/// Formats bytes in hexadecimal, and marks the bytes that differ from `other`.
std::string hex_of(const std::vector<std::uint8_t>& bytes, const std::vector<std::uint8_t>& other) {
  std::string out;
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    const bool differs = k >= other.size() || bytes[k] != other[k];
    out +=
        fmt::format("{}{}{:02x}{}", k == 0 ? "" : " ", differs ? "<b>" : "", bytes[k], differs ? "</b>" : "");
  }
  return out;
}

std::string memory(const CaseResult& r) {
  if (r.memory.empty()) return {};
  std::string out =
      "<section id=\"memory\"><h2>Memory</h2>\n<div class=\"scroll\"><table><caption>Bytes that differ are "
      "underlined. Guard bytes are "
      "ee.</caption><thead><tr><th>region</th><th>offset</th><th></th><th>bytes</th>"
      "<th>meaning</th></tr></thead><tbody>\n";
  for (const auto& m : r.memory) {
    out += fmt::format(
        "<tr><td rowspan=\"2\">{}</td><td rowspan=\"2\"><code>{:#x}</code></td><td>expected</td><td "
        "class=\"hex\">{}</td>"
        "<td rowspan=\"2\">{}{}</td></tr>\n<tr><td>found</td><td class=\"hex\">{}</td></tr>\n",
        m.region, m.offset, hex_of(m.expected, m.found), m.guard ? "guard: " : "", escaped(m.text),
        hex_of(m.found, m.expected));
  }
  return out + "</tbody></table></div></section>\n";
}

std::string completions(const CaseResult& r) {
  if (r.completions.empty()) return {};
  std::string out =
      "<section "
      "id=\"completions\"><h2>Completions</h2>\n<table><thead><tr><th>#</th><th>QP</th><th>status</th>"
      "<th>length</th><th>immediate</th></tr></thead><tbody>\n";
  for (std::size_t k = 0; k < r.completions.size(); ++k) {
    const conformance::Completion& c = r.completions[k];
    const std::string status = !c.status.empty() ? c.status : c.success ? "success" : "error";
    out += fmt::format(
        "<tr><td>{}</td><td><code>{:#x}</code></td><td>{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n",
        k + 1, c.qp, escaped(status), c.success ? fmt::format("{} B", c.length) : "",
        c.immediate ? fmt::format("<code>{:#010x}</code>", *c.immediate) : "");
  }
  return out + "</tbody></table></section>\n";
}

std::string figures(const CaseResult& r) {
  if (r.figures.empty()) return {};
  std::string out =
      "<section "
      "id=\"figures\"><h2>Figures</h2>\n<table><thead><tr><th>figure</th><th>value</th><th>limit</th></tr>"
      "</thead><tbody>\n";
  for (const auto& f : r.figures) {
    out += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n", escaped(f.name),
        escaped(figure_words(f)),
        f.limit ? fmt::format("{:.6g}{}", *f.limit, f.exceeded() ? " ✗ exceeded" : " ✓") : "none");
  }
  return out + "</tbody></table></section>\n";
}

std::string rules(const CaseResult& r) {
  if (r.rules.empty()) return {};
  std::string out =
      "<section id=\"faults\"><h2>Fault "
      "rules</h2>\n<table><thead><tr><th>rule</th><th>hits</th></tr></thead><tbody>\n";
  for (const auto& one : r.rules)
    out += fmt::format("<tr><td><code>{}</code></td><td class=\"n\">{}</td></tr>\n", escaped(one.text),
                       one.hits);
  return out + "</tbody></table></section>\n";
}

std::string legend_item(const char* line_look, const char* head_look, const char* words) {
  return fmt::format(
      "<li><svg class=\"ladder\" viewBox=\"0 0 60 12\" aria-hidden=\"true\"><line x1=\"2\" y1=\"6\" "
      "x2=\"48\" y2=\"6\" "
      "class=\"{}\"/><polygon points=\"58,6 48,2 48,10\" class=\"head {}\"/></svg>{}</li>\n",
      line_look, head_look, words);
}

std::string packets(const conformance::SuiteResult& suite, const CaseResult& r) {
  // A period without packets is drawn as a gap if it is longer than this number of round trips.
  constexpr Time kGaps = 10;
  if (r.trace.empty() && r.missing.empty()) return {};
  const Time gap = std::max(kGaps * suite.timing.round_trip_p99, 10 * kMicrosecond);
  std::string out =
      "<section id=\"packets\"><h2>Packets</h2>\n<ul class=\"legend\">\n" +
      legend_item("sent", "sent", "sent") + legend_item("good", "good", "✓ answer, expected") +
      legend_item("bad", "bad", "✗ answer, not expected") +
      legend_item("missing", "missing", "✗ awaited, did not come") + "</ul>\n<p>e is " +
      (r.trace.empty() ? "the first PSN of the queue pair"
                       : fmt::format("{:#08x}", r.trace.front().first_psn)) +
      (r.of->parts.size() > 1 ? " in the first part" : "") +
      ". Times are those of the requester, since the start of the case; the picture is not to scale.</p>\n" +
      packet_ladder(r, gap);
  if (has_capture(r)) {
    const std::string name = file_name(capture_of(*r.of));
    out += fmt::format("<p>Capture: <a href=\"{0}\">{0}</a></p>\n", name);
  }
  return out + "</section>\n";
}

std::string ending(const CaseResult& r) {
  std::string out;
  if (r.state) out += definition("state of the queue pair", std::string(state_words(*r.state)));
  if (r.foreign != 0)
    out += definition("packets for queue pairs of earlier cases", std::to_string(r.foreign));
  if (r.attempts != 0) {
    out += definition("duration", fmt::format("{:.4g} s", r.seconds));
    out += definition("attempts", std::to_string(r.attempts));
  }
  return out.empty()
             ? ""
             : "<section id=\"end\"><h2>The end</h2>\n<dl class=\"rule\">\n" + out + "</dl></section>\n";
}

}  // namespace

std::string conformance_case_page(const conformance::SuiteResult& result, const CaseResult& of,
                                  const CaseResult* previous, const CaseResult* next) {
  const std::string title = of.of->id + ": " + of.of->title;
  const std::string header = navigation(previous, next) + "<h1>" + escaped(title) + "</h1>\n<p>" +
                             verdict_badge(of.verdict, false) + "</p>\n" + reason(of);
  return html_document(
      title, header,
      rule(of) + packets(result, of) + memory(of) + completions(of) + figures(of) + rules(of) + ending(of));
}

}  // namespace softfeb::report
