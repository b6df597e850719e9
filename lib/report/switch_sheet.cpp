// SPDX-License-Identifier: BSD-3-Clause
// Builds the data sheet of a switch, which fits on one printed page.
#include "report/html_page.hpp"
#include "report/markup.hpp"
#include "report/switch_markup.hpp"
#include "report/switch_rows.hpp"
#include "report/terminal.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

using switchtest::Status;
using switchtest::TestReport;

/// Height and width of the text area of an A4 page with the margins of pages.css.
constexpr double kSheetHeightMm = 264, kSheetWidthMm = 180, kMmPerPoint = 25.4 / 72;

bool is_unresolved(Status status) {
  return status == Status::kUnresolvable || status == Status::kInconclusive;
}

/// Tests and figures that have no result, all for the same reason.
struct Unresolved {
  std::string what, why;
};

struct SheetTest {
  std::string name;
  std::vector<SwitchRow> rows;
};

/// The contents of the data sheet.
struct SheetContents {
  std::vector<SheetTest> tests;
  std::vector<Unresolved> unresolved;
  std::vector<SwitchSetting> settings;
  std::size_t left_out = 0;  ///< number of rows that do not fit
};

/// Adds a test or figure without a result to the entry with the same reason, or adds a new entry.
void add_unresolved(const std::string& what, const std::string& why, std::vector<Unresolved>& out) {
  const auto it = std::find_if(out.begin(), out.end(), [&](const Unresolved& u) { return u.why == why; });
  if (it == out.end()) {
    out.push_back({what, why});
  } else {
    it->what += ", " + what;
  }
}

void add_unresolved(const TestReport& test, const std::vector<SwitchRow>& rows,
                    std::vector<Unresolved>& out) {
  const auto why = [](Status status, const std::string& reason) {
    return status == Status::kInconclusive ? "inconclusive: " + reason : reason;
  };
  if (test.status != Status::kMeasured) add_unresolved(test.name, why(test.status, test.reason), out);
  for (const SwitchRow& row : rows) {
    if (row.figures == 0 || !is_unresolved(row.status)) continue;
    if (row.reason == test.reason && test.status != Status::kMeasured) continue;
    add_unresolved(test.name + "." + row.name, why(row.status, row.reason), out);
  }
}

/// Collects the contents. `most` is passed to short_rows().
SheetContents contents_of(const SwitchRun& run, std::size_t most) {
  SheetContents out{.settings = settings_to_copy(run)};
  SwitchRun plain;  // has no verdicts, because figures with different verdicts would not share rows
  for (const TestReport& test : run.report.tests) {
    SheetTest shown{.name = test.name, .rows = short_rows(plain, test, most)};
    add_unresolved(test, shown.rows, out.unresolved);
    std::erase_if(shown.rows, [](const SwitchRow& r) { return is_unresolved(r.status); });
    if (!shown.rows.empty()) out.tests.push_back(std::move(shown));
  }
  return out;
}

std::size_t lines_of(std::size_t characters, double width_mm, double points) {
  // Width of a character in units of the font size. The value fits numbers, which are wider than words.
  constexpr double kWidthOfCharacter = 0.58;
  // Share of a line that is used, because lines break between words.
  constexpr double kFilled = 0.93;
  const double room = std::floor(width_mm / (points * kMmPerPoint * kWidthOfCharacter));
  const auto wanted = static_cast<double>(characters);
  return wanted <= room ? 1 : static_cast<std::size_t>(std::ceil(wanted / (room * kFilled)));
}

/// Number of lines of a row. Name and value share a line if they fit; otherwise the value starts a new line.
std::size_t lines_of(const SwitchRow& row, double width_mm, double points) {
  const std::size_t name = width_of(row.name), value = width_of(row.value) + width_of(row.interval) + 3;
  const std::size_t together = lines_of(name + value, width_mm, points);
  return together == 1 ? 1 : lines_of(name, width_mm, points) + lines_of(value, width_mm, points);
}

/// Number of lines that all figures would take in a single column. The sheet divides these lines between two
/// columns.
double lines_of_figures(const SheetContents& contents, double points) {
  constexpr double kColumn = kSheetWidthMm / 2 - 4, kTestHeading = 1.5;
  double out = 0;
  for (const SheetTest& test : contents.tests) {
    out += kTestHeading;
    for (const SwitchRow& row : test.rows) out += static_cast<double>(lines_of(row, kColumn, points));
  }
  return out;
}

/// Returns an estimate of the height of the sheet in millimetres. The estimate is usually too large, so that
/// the sheet fits on the page.
double height_of(const SheetContents& contents, const SwitchRun& run, double points) {
  constexpr double kLine = 1.28, kTitle = 12, kHeadings = 5, kTallestSplit = 2;
  double lines = kHeadings + lines_of_figures(contents, points) / 2 + kTallestSplit;
  for (const auto& [name, text] : switch_facts(run))
    lines += static_cast<double>(lines_of(width_of(text), kSheetWidthMm / 2 - 26, points)) * 0.6;
  for (const SwitchSetting& s : contents.settings)
    lines +=
        0.65 * static_cast<double>(lines_of(width_of(s.value + s.remark) + 26, kSheetWidthMm / 2, points));
  for (const Unresolved& u : contents.unresolved)
    lines += static_cast<double>(lines_of(width_of(u.what + u.why) + 2, kSheetWidthMm, points));
  return kTitle + lines * points * kMmPerPoint * kLine;
}

/// Chooses the contents and the font size so that everything fits on a page.
std::pair<SheetContents, double> fitted(const SwitchRun& run) {
  constexpr double kLargestFont = 9, kReadable = 6.5, kSmallestFont = 5.5, kStep = 0.25;
  SheetContents contents;
  for (const std::size_t most : {4U, 2U, 1U}) {
    contents = contents_of(run, most);
    for (double points = kLargestFont; points >= (most == 1 ? kSmallestFont : kReadable); points -= kStep)
      if (height_of(contents, run, points) <= kSheetHeightMm) return {contents, points};
  }
  // If the text still does not fit, drop rows at the end of the longest tests.
  while (height_of(contents, run, kSmallestFont) > kSheetHeightMm) {
    const auto longest = std::max_element(
        contents.tests.begin(), contents.tests.end(),
        [](const SheetTest& a, const SheetTest& b) { return a.rows.size() < b.rows.size(); });
    if (longest != contents.tests.end() && longest->rows.size() > 1) {
      longest->rows.pop_back();
    } else if (!contents.unresolved.empty()) {
      contents.unresolved.pop_back();
    } else if (longest != contents.tests.end()) {
      contents.tests.pop_back();
    } else {
      break;
    }
    ++contents.left_out;
  }
  return {contents, kSmallestFont};
}

std::string figures_html(const SheetContents& contents) {
  std::string out = "<div class=\"figures\">\n";
  for (const SheetTest& test : contents.tests) {
    out += fmt::format("<h4>{}</h4>\n<ul>\n", escaped(test.name));
    for (const SwitchRow& row : test.rows)
      out += fmt::format("<li><span>{}</span> <span class=\"v\"><b>{}</b>{}</span></li>\n", escaped(row.name),
                         escaped(row.value),
                         row.interval.empty() ? "" : " <i>" + escaped(row.interval) + "</i>");
    out += "</ul>\n";
  }
  return out + "</div>\n";
}

std::string unresolved_html(const SheetContents& contents) {
  if (contents.unresolved.empty()) return "<p>Nothing stayed unresolved.</p>\n";
  std::string out = "<ul class=\"unresolved\">\n";
  for (const Unresolved& u : contents.unresolved)
    out += fmt::format("<li><b>{}</b>: {}</li>\n", escaped(u.what), escaped(u.why));
  return out + "</ul>\n";
}

std::string settings_html(const SheetContents& contents) {
  std::string out = "<dl class=\"settings\">\n";
  for (const SwitchSetting& s : contents.settings)
    out += fmt::format("<dt>{}</dt><dd>{}<i>{}</i></dd>\n", escaped(s.name),
                       s.value.empty() ? "– " : "<b>" + escaped(s.value) + "</b> ", escaped(s.remark));
  return out + "</dl>\n";
}

std::string facts_html(const SwitchRun& run) {
  std::string out = "<dl class=\"facts\">\n";
  for (const auto& [name, text] : switch_facts(run))
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escaped(text));
  return out + "</dl>\n";
}

}  // namespace

std::string data_sheet(const SwitchRun& run, const std::string& heading) {
  const auto [contents, points] = fitted(run);
  std::string out = fmt::format(
      "<section class=\"sheet\" id=\"data-sheet\" style=\"--fit: {:.2f}pt\">\n<{}>Data sheet: {}</{}>\n",
      points, heading, escaped(switch_name(run)), heading);
  out += "<div class=\"top\">\n<div><h3>Conditions</h3>\n" + facts_html(run) +
         "</div>\n<div><h3>Settings to copy</h3>\n" + settings_html(contents) + "</div>\n</div>\n";
  out += "<h3>Figures</h3>\n" + figures_html(contents);
  if (contents.left_out != 0)
    out += fmt::format("<p>{} further lines do not fit here; index.html has all.</p>\n", contents.left_out);
  out += "<h3>Unresolved</h3>\n" + unresolved_html(contents);
  return out +
         "<p class=\"foot\">Measured from outside by softfeb switch-test. Byte counts are those of frames "
         "without "
         "FCS. Intervals are exact to a frame if frames were counted, otherwise 95 %.</p>\n</section>\n";
}

std::string switch_data_sheet(const SwitchRun& run) {
  return html_page("Data sheet of " + switch_name(run), switch_style(), "", data_sheet(run, "h1"));
}

}  // namespace softfeb::report
