// SPDX-License-Identifier: BSD-3-Clause
// Builds the page of a run of switch tests.
#include "report/html_page.hpp"
#include "report/markup.hpp"
#include "report/switch_chart.hpp"
#include "report/switch_markup.hpp"
#include "report/switch_rows.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

using switchtest::Figure;
using switchtest::Status;
using switchtest::TestReport;
using Outcome = switchtest::Verdict::Outcome;

std::string outcome_badge(Outcome outcome) {
  const char* const look = outcome == Outcome::kHeld     ? "held"
                           : outcome == Outcome::kFailed ? "failed"
                                                         : "other";
  return fmt::format("<span class=\"verdict small {}\">{} {}</span>", look, sign_of(outcome),
                     name_of(outcome));
}

std::string status_badge(const TestReport& test) {
  const bool measured = test.status == Status::kMeasured;
  return fmt::format("<span class=\"verdict small {}\">{} {}</span>", measured ? "measured" : "other",
                     measured ? "#" : "?", switchtest::name(test.status));
}

std::string total_cards(const SwitchRun& run) {
  const SwitchTotals t = totals_of(run);
  std::string out = "<dl class=\"cards\">\n";
  const auto card = [&](const char* name, std::size_t n) {
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, n);
  };
  card("tests measured", t.measured);
  card("unresolvable", t.unresolvable);
  card("inconclusive", t.inconclusive);
  if (!run.verdicts.empty()) {
    card("expectations held", t.held);
    card("failed", t.failed);
    card("undecided", t.undecided);
  }
  return out + "</dl>\n";
}

/// Lists the expectations that did not hold.
std::string open_verdicts(const SwitchRun& run) {
  std::string rows;
  for (const TestReport& test : run.report.tests)
    for (const SwitchRow& row : switch_rows(run, test, 1)) {
      if (!row.outcome || *row.outcome == Outcome::kHeld) continue;
      rows += fmt::format(
          "<tr><td><a href=\"#test-{0}\">{0}</a>.{1}</td><td class=\"n\">{2}</td><td "
          "class=\"expected\">{3}</td><td>{4}</td><td "
          "class=\"why\">{5}</td></tr>\n",
          escaped(test.name), escaped(row.name), row.figures == 0 ? "–" : escaped(row.value),
          escaped(row.expected), outcome_badge(*row.outcome), escaped(row.why));
    }
  if (rows.empty()) return {};
  return "<section id=\"failed\"><h2>Expectations that did not hold</h2>\n<div class=\"scroll\" "
         "tabindex=\"0\"><table><thead><tr><th>figure</th><th "
         "class=\"n\">value</th><th>expected</th><th>verdict</th>"
         "<th>why</th></tr></thead><tbody>\n" +
         rows + "</tbody></table></div></section>\n";
}

/// A figure of a test with its combined verdict.
struct ShownFigure {
  const Figure* figure;
  FigureVerdict verdict;
};

std::string value_cell(const Figure& f) {
  const char* const look =
      f.status == Status::kUnresolvable || f.status == Status::kInconclusive ? "n other" : "n";
  return fmt::format("<td class=\"{}\">{}</td>", look, escaped(value_words(f)));
}

/// Returns a table of the figures without labels, with one row for each figure.
std::string plain_table(const std::vector<ShownFigure>& figures) {
  const bool judged = std::any_of(figures.begin(), figures.end(),
                                  [](const auto& f) { return f.verdict.outcome.has_value(); });
  const bool reasons =
      std::any_of(figures.begin(), figures.end(), [](const auto& f) { return !f.figure->reason.empty(); });
  std::string out = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th>figure</th><th "
      "class=\"n\">value</th><th>interval</th>"
      "<th>method</th><th class=\"n\">trials</th>{}{}</tr></thead><tbody>\n",
      judged ? "<th>expected</th><th>verdict</th>" : "", reasons ? "<th>why</th>" : "");
  for (const ShownFigure& shown : figures) {
    const Figure& f = *shown.figure;
    out += fmt::format(
        "<tr><th scope=\"row\">{}</th>{}<td class=\"interval\">{}</td><td>{}</td><td class=\"n\">{}{}</td>",
        escaped(f.name), value_cell(f), escaped(interval_words(f)), name_of(f.method), f.trials,
        f.void_trials == 0 ? "" : fmt::format(" ({} void)", f.void_trials));
    if (judged)
      out += fmt::format("<td class=\"expected\">{}</td><td>{}</td>", escaped(shown.verdict.expected),
                         shown.verdict.outcome ? outcome_badge(*shown.verdict.outcome) : "");
    if (reasons) out += "<td class=\"why\">" + escaped(f.reason) + "</td>";
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

/// A table of figures whose labels have the same keys: one row for each set of labels, and one column for
/// each name.
class LabelTable {
 public:
  void add(const ShownFigure& shown);
  std::string html() const;

 private:
  /// The figures of one cell. A cell has more than one figure only if a test adds figures with the same name
  /// and labels.
  using Cell = std::vector<const ShownFigure*>;

  std::string heads() const;
  std::string cell(const Cell& figures, const std::string& name) const;
  /// Returns the unit of all figures with this name; nullopt if they have different units.
  std::optional<std::string> unit_of(const std::string& name) const;

  std::vector<ShownFigure> figures_;
  std::vector<std::string> names_;
  std::vector<FigureLabels> rows_;
  std::map<std::pair<FigureLabels, std::string>, std::vector<std::size_t>> cells_;  ///< indices in figures_
};

void LabelTable::add(const ShownFigure& shown) {
  const Figure& f = *shown.figure;
  if (std::find(names_.begin(), names_.end(), f.name) == names_.end()) names_.push_back(f.name);
  const bool fresh = std::none_of(names_.begin(), names_.end(), [&](const std::string& name) {
    return cells_.count({f.labels, name}) != 0;
  });
  if (fresh) rows_.push_back(f.labels);
  cells_[{f.labels, f.name}].push_back(figures_.size());
  figures_.push_back(shown);
}

std::optional<std::string> LabelTable::unit_of(const std::string& name) const {
  std::set<std::string> units;
  for (const ShownFigure& shown : figures_)
    if (shown.figure->name == name && shown.figure->text.empty()) units.insert(shown.figure->unit);
  return units.size() == 1 ? std::optional(*units.begin()) : std::nullopt;
}

std::string LabelTable::heads() const {
  std::string out = "<tr>";
  for (const auto& label : rows_.front()) out += "<th>" + escaped(label.first) + "</th>";
  for (const std::string& name : names_) {
    const std::string unit = unit_of(name).value_or("");
    out += "<th class=\"n\">" + escaped(name) +
           (unit.empty() ? "" : " <small>" + escaped(unit) + "</small>") + "</th>";
  }
  return out + "</tr>";
}

std::string LabelTable::cell(const Cell& figures, const std::string& name) const {
  const bool common_unit = unit_of(name).has_value();
  std::string inside;
  bool open = false;
  for (const ShownFigure* shown : figures) {
    Figure f = *shown->figure;
    open = open || f.status == Status::kUnresolvable || f.status == Status::kInconclusive;
    if (common_unit) f.unit.clear();
    inside += (inside.empty() ? "" : "; ") + escaped(value_words(f));
    const std::string interval = interval_words(f);
    if (!interval.empty() && interval != "exact" && f.status != Status::kBounded)
      inside += "<br><small>" + escaped(interval) + "</small>";
    if (shown->verdict.outcome) {
      const Outcome o = *shown->verdict.outcome;
      inside += fmt::format(" <span class=\"{}\" title=\"{}: {}\">{}</span>",
                            o == Outcome::kHeld     ? "held"
                            : o == Outcome::kFailed ? "failed"
                                                    : "other",
                            name_of(o), escaped(shown->verdict.expected), sign_of(o));
    }
  }
  return fmt::format("<td class=\"n{}\">{}</td>", open ? " other" : "", inside);
}

std::string LabelTable::html() const {
  constexpr std::size_t kLongTable = 24;
  if (rows_.empty()) return {};
  std::string out =
      "<div class=\"scroll\" tabindex=\"0\"><table class=\"labels\"><thead>" + heads() + "</thead><tbody>\n";
  for (const FigureLabels& labels : rows_) {
    out += "<tr>";
    for (const auto& [key, value] : labels) out += "<th scope=\"row\">" + escaped(value) + "</th>";
    for (const std::string& name : names_) {
      const auto it = cells_.find({labels, name});
      Cell figures;
      if (it != cells_.end())
        for (const std::size_t k : it->second) figures.push_back(&figures_[k]);
      out += cell(figures, name);
    }
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  if (rows_.size() <= kLongTable) return out;
  std::string keys;
  for (const auto& label : rows_.front()) keys += (keys.empty() ? "" : ", ") + label.first;
  return fmt::format("<details><summary>All {} figures by {}</summary>\n{}</details>\n", figures_.size(),
                     escaped(keys), out);
}

/// Lists the reasons of figures with labels, because the tables of these figures have no column for reasons.
std::string label_notes(const SwitchRun& run, const TestReport& test) {
  std::string out;
  for (const SwitchRow& row : switch_rows(run, test, 1)) {
    if (row.reason.empty() || row.figures == 0 || row.name.find('[') == std::string::npos) continue;
    out += fmt::format("<li><b>{}</b>: {}: {}</li>\n", escaped(row.name), switchtest::name(row.status),
                       escaped(row.reason));
  }
  return out.empty() ? out : "<ul class=\"notes\">\n" + out + "</ul>\n";
}

std::string figure_tables(const SwitchRun& run, const TestReport& test) {
  std::vector<ShownFigure> plain;
  std::vector<std::pair<std::vector<std::string>, LabelTable>> tables;
  for (std::size_t i = 0; i < test.figures.size(); ++i) {
    const Figure& f = test.figures[i];
    const ShownFigure shown{&f, combined(run, verdicts_of(run, test.name, i))};
    std::vector<std::string> keys;
    for (const auto& label : f.labels) keys.push_back(label.first);
    if (keys.empty()) {
      plain.push_back(shown);
      continue;
    }
    const auto it =
        std::find_if(tables.begin(), tables.end(), [&](const auto& t) { return t.first == keys; });
    (it == tables.end() ? tables.emplace_back(keys, LabelTable{}) : *it).second.add(shown);
  }
  std::string out = plain.empty() ? "" : plain_table(plain);
  for (const auto& [keys, table] : tables) out += table.html();
  return out + label_notes(run, test);
}

/// Describes the duration of a test and its trials, for example "2.1 s, 212 trials, 3 of them void: a worker
/// was not run for 1 ms". A void trial is one that was disturbed, so that its result was not used.
std::string trial_words(const TestReport& test) {
  constexpr std::size_t kMostReasons = 3;
  std::string out = fmt::format("{:.4g} s", to_seconds(test.took));
  if (test.trials.empty()) return out;
  std::size_t spoiled = 0;
  std::set<std::string> reasons;
  for (const switchtest::TrialRecord& t : test.trials) {
    if (t.void_reason.empty()) continue;
    ++spoiled;
    if (reasons.size() < kMostReasons) reasons.insert(t.void_reason);
  }
  out += fmt::format(", {} {}", test.trials.size(), test.trials.size() == 1 ? "trial" : "trials");
  if (spoiled != 0) out += fmt::format(", {} of them void: {}", spoiled, fmt::join(reasons, "; "));
  return out;
}

std::string test_section(const SwitchRun& run, const TestReport& test) {
  std::string out =
      fmt::format("<section id=\"test-{0}\"><h2>{0}: {1}</h2>\n<p>{2} <span class=\"muted\">{3}</span></p>\n",
                  escaped(test.name), escaped(test.title), status_badge(test), escaped(trial_words(test)));
  if (test.status != Status::kMeasured) out += "<p class=\"reason soft\">" + escaped(test.reason) + "</p>\n";
  return out + switch_charts(test.curves) + figure_tables(run, test) + "</section>\n";
}

std::string navigation(const SwitchRun& run) {
  std::string out = "<nav aria-label=\"Tests\"><ul><li><a href=\"#data-sheet\">data sheet</a></li>";
  for (const TestReport& test : run.report.tests)
    out += fmt::format("<li><a href=\"#test-{0}\">{0}</a></li>", escaped(test.name));
  return out + "</ul></nav>\n";
}

std::string configuration(const SwitchRun& run) {
  return "<section id=\"configuration\"><h2>Configuration</h2>\n<details><summary>As the run used "
         "it</summary>\n<pre>" +
         escaped(run.config.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) +
         "</pre></details>\n</section>\n";
}

constexpr const char* kFiles =
    "<section id=\"files\"><h2>Files</h2>\n<ul><li><a href=\"datasheet.html\">datasheet.html</a>: the data "
    "sheet "
    "alone</li><li><a href=\"result.json\">result.json</a>: all figures, curves and raw counts</li><li><a "
    "href=\"junit.xml\">junit.xml</a></li></ul></section>\n";

}  // namespace

std::string switch_page(const SwitchRun& run) {
  const std::string title = "Test of " + switch_name(run);
  std::string header =
      "<h1>" + escaped(title) + "</h1>\n<p>" + overall_badge(run) + "</p>\n" + total_cards(run);
  if (run.report.interrupted)
    header += "<p class=\"reason\">The run was interrupted. Tests that had not ended are missing.</p>\n";
  std::string main = navigation(run) + open_verdicts(run) + data_sheet(run, "h2");
  for (const TestReport& test : run.report.tests) main += test_section(run, test);
  return html_page(title + " – softfeb switch-test", switch_style(), header,
                   main + configuration(run) + kFiles);
}

}  // namespace softfeb::report
