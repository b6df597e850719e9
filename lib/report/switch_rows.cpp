// SPDX-License-Identifier: BSD-3-Clause
#include "report/switch_rows.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace softfeb::report {

namespace {

using switchtest::Expectation;
using switchtest::Figure;
using switchtest::Status;
using switchtest::TestReport;
using Outcome = switchtest::Verdict::Outcome;

/// If the figures with the same name have at most this many different texts, figures with different texts do
/// not share a row.
constexpr std::size_t kMostKinds = 8;
/// Figures that did not meet an expectation may take up to this many rows, even if fewer rows are requested.
constexpr std::size_t kMostImportant = 8;

/// A figure with its combined verdict.
struct Judged {
  const Figure* figure;
  FigureVerdict verdict;
};
using JudgedList = std::vector<Judged>;

std::optional<double> number_in(const std::string& text) {
  double out = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, out);
  return error == std::errc{} && at == end && std::isfinite(out) ? std::optional(out) : std::nullopt;
}

/// Summarises the values of a label: "78…4174" for numbers, "both|one" for a few words, and "12 values" for
/// many.
std::string range_of(const std::set<std::string>& values) {
  constexpr std::size_t kMostListed = 3;
  if (values.size() == 1) return *values.begin();
  const std::string *least = nullptr, *most = nullptr;
  for (const std::string& v : values) {
    const auto number = number_in(v);
    if (!number) {
      least = nullptr;
      break;
    }
    if (least == nullptr || *number < *number_in(*least)) least = &v;
    if (most == nullptr || *number > *number_in(*most)) most = &v;
  }
  if (least != nullptr) return *least + "…" + *most;
  if (values.size() > kMostListed) return fmt::format("{} values", values.size());
  return fmt::format("{}", fmt::join(values, "|"));
}

FigureLabels range_labels(const JudgedList& figures) {
  std::map<std::string, std::set<std::string>> values;
  for (const Judged& j : figures)
    for (const auto& [key, value] : j.figure->labels) values[key].insert(value);
  FigureLabels out;
  for (const auto& [key, all] : values) out[key] = range_of(all);
  return out;
}

/// Sets the value of a row: the words of several figures, or the range of their numbers.
void put_values(const JudgedList& figures, SwitchRow& row) {
  constexpr std::size_t kMostTexts = 4;
  std::set<std::string> texts;
  const Figure *least = nullptr, *most = nullptr;
  Figure all = *figures.front().figure;
  for (const Judged& j : figures) {
    const Figure& f = *j.figure;
    texts.insert(value_words(f));
    const auto number = f.value ? f.value : f.low ? f.low : f.high;
    if (!f.text.empty() || !number) continue;
    const auto of = [](const Figure& x) { return *(x.value ? x.value : x.low ? x.low : x.high); };
    if (least == nullptr || of(f) < of(*least)) least = &f;
    if (most == nullptr || of(f) > of(*most)) most = &f;
    all.low = all.low && f.low ? std::optional(std::min(*all.low, *f.low)) : std::nullopt;
    all.high = all.high && f.high ? std::optional(std::max(*all.high, *f.high)) : std::nullopt;
  }
  if (texts.size() == 1) {
    row.value = *texts.begin();
    row.interval = interval_words(least == nullptr ? *figures.front().figure : all);
    return;
  }
  if (least == nullptr) {
    const auto end =
        std::next(texts.begin(), static_cast<std::ptrdiff_t>(std::min(texts.size(), kMostTexts)));
    row.value = fmt::format(
        "{}{}", fmt::join(texts.begin(), end, "; "),
        texts.size() > kMostTexts ? fmt::format("; and {} more", texts.size() - kMostTexts) : std::string());
    return;
  }
  const bool exact = std::all_of(figures.begin(), figures.end(),
                                 [](const Judged& j) { return interval_words(*j.figure) == "exact"; });
  const auto without_unit = [](const Figure& f) {
    Figure bare = f;
    bare.unit.clear();
    return value_words(bare);
  };
  row.value = without_unit(*least) + " to " + value_words(*most);
  row.interval = exact ? "exact" : interval_words(all, 0);
  if (row.interval == without_unit(*least) + " to " + without_unit(*most)) row.interval.clear();
}

/// Returns the reason that all figures have in common. If their reasons differ, returns the first reason and
/// the number of other reasons.
std::string common_reason(const JudgedList& figures, std::string (*reason)(const Judged&)) {
  std::set<std::string> all;
  std::string first;
  for (const Judged& j : figures) {
    const std::string text = reason(j);
    if (text.empty()) continue;
    if (first.empty()) first = text;
    all.insert(text);
  }
  if (all.size() < 2) return first;
  return fmt::format("{} (and {} other {})", first, all.size() - 1, all.size() == 2 ? "reason" : "reasons");
}

SwitchRow row_of(const JudgedList& figures) {
  const Judged& first = figures.front();
  SwitchRow row{.name = labelled(first.figure->name, range_labels(figures)),
                .figures = figures.size(),
                .status = first.figure->status,
                .expected = first.verdict.expected,
                .outcome = first.verdict.outcome};
  put_values(figures, row);
  row.reason = common_reason(figures, [](const Judged& j) { return j.figure->reason; });
  row.why = common_reason(figures, [](const Judged& j) { return j.verdict.why; });
  return row;
}

/// Returns the label with the most different values; rows that differ only in this label are combined first.
/// Ignores the labels in `folded`. Returns nullptr if no label is left.
const std::string* widest_label(const JudgedList& figures, const std::set<std::string>& folded) {
  std::map<std::string, std::set<std::string>> values;
  for (const Judged& j : figures)
    for (const auto& [key, value] : j.figure->labels)
      if (folded.count(key) == 0) values[key].insert(value);
  const auto it = std::max_element(values.begin(), values.end(), [](const auto& a, const auto& b) {
    return a.second.size() < b.second.size();
  });
  if (it == values.end()) return nullptr;
  for (const Judged& j : figures)
    if (const auto label = j.figure->labels.find(it->first); label != j.figure->labels.end())
      return &label->first;
  return nullptr;
}

/// Divides figures into parts with equal labels, ignoring the labels in `folded`. Keeps the order of the
/// figures.
std::vector<JudgedList> parts_of(const JudgedList& figures, const std::set<std::string>& folded) {
  std::map<FigureLabels, std::size_t> places;
  std::vector<JudgedList> out;
  for (const Judged& j : figures) {
    FigureLabels labels = j.figure->labels;
    for (const std::string& key : folded) labels.erase(key);
    const auto [place, fresh] = places.emplace(std::move(labels), out.size());
    if (fresh) out.emplace_back();
    out[place->second].push_back(j);
  }
  return out;
}

/// Adds at most `most` rows for figures that may share rows.
void add_rows(const JudgedList& figures, std::size_t most, std::vector<SwitchRow>& out) {
  std::vector<JudgedList> parts;
  for (const Judged& j : figures) parts.push_back({j});
  std::set<std::string> folded;
  while (parts.size() > most) {
    const std::string* const label = widest_label(figures, folded);
    if (label == nullptr) {
      parts = {figures};
      break;
    }
    folded.insert(*label);
    parts = parts_of(figures, folded);
  }
  for (const JudgedList& part : parts) out.push_back(row_of(part));
}

/// Properties that figures must have in common, apart from their name, to share a row.
struct Kind {
  std::vector<std::string> keys;  ///< keys of the labels
  std::string unit, text, expected;
  Status status;
  std::optional<Outcome> outcome;

  bool operator<(const Kind& o) const {
    return std::tie(keys, unit, text, expected, status, outcome) <
           std::tie(o.keys, o.unit, o.text, o.expected, o.status, o.outcome);
  }
};

Kind kind_of(const Judged& j, bool by_text) {
  Kind out{.unit = j.figure->unit,
           .text = by_text ? j.figure->text : "",
           .expected = j.verdict.expected,
           .status = j.figure->status,
           .outcome = j.verdict.outcome};
  for (const auto& label : j.figure->labels) out.keys.push_back(label.first);
  return out;
}

/// Adds rows for all figures with the same name.
void add_name(const JudgedList& figures, std::size_t most, std::vector<SwitchRow>& out) {
  std::set<std::string> texts;
  for (const Judged& j : figures) texts.insert(j.figure->text);
  std::map<Kind, std::size_t> places;
  std::vector<JudgedList> kinds;
  for (const Judged& j : figures) {
    const auto [place, fresh] = places.emplace(kind_of(j, texts.size() <= kMostKinds), kinds.size());
    if (fresh) kinds.emplace_back();
    kinds[place->second].push_back(j);
  }
  for (const JudgedList& kind : kinds) {
    const auto& outcome = kind.front().verdict.outcome;
    const bool important = outcome && *outcome != Outcome::kHeld;
    add_rows(kind, important ? std::max(most, kMostImportant) : most, out);
  }
}

}  // namespace

std::vector<const switchtest::Verdict*> verdicts_of(const SwitchRun& run, const std::string& test,
                                                    std::optional<std::size_t> figure) {
  std::vector<const switchtest::Verdict*> out;
  for (const switchtest::Verdict& v : run.verdicts)
    if (v.test == test && v.figure == figure && v.expectation < run.expectations.size()) out.push_back(&v);
  return out;
}

FigureVerdict combined(const SwitchRun& run, const std::vector<const switchtest::Verdict*>& verdicts) {
  // A failed expectation has precedence over an undecided one, which has precedence over one that held.
  constexpr auto kWeight = [](Outcome o) {
    return o == Outcome::kFailed ? 2 : o == Outcome::kUndecided ? 1 : 0;
  };
  FigureVerdict out;
  for (const switchtest::Verdict* v : verdicts) {
    out.expected += (out.expected.empty() ? "" : "; ") + run.expectations[v->expectation].text;
    if (!v->reason.empty()) out.why += (out.why.empty() ? "" : "; ") + v->reason;
    if (!out.outcome || kWeight(v->outcome) > kWeight(*out.outcome)) out.outcome = v->outcome;
  }
  return out;
}

std::vector<SwitchRow> switch_rows(const SwitchRun& run, const TestReport& test, std::size_t most) {
  std::map<std::string, std::size_t> places;
  std::vector<JudgedList> names;
  for (std::size_t i = 0; i < test.figures.size(); ++i) {
    const auto [place, fresh] = places.emplace(test.figures[i].name, names.size());
    if (fresh) names.emplace_back();
    names[place->second].push_back({&test.figures[i], combined(run, verdicts_of(run, test.name, i))});
  }
  std::vector<SwitchRow> out;
  for (const JudgedList& figures : names) add_name(figures, most, out);
  for (const switchtest::Verdict* v : verdicts_of(run, test.name, std::nullopt)) {
    const Expectation& e = run.expectations[v->expectation];
    out.push_back({.name = labelled(e.figure, e.labels),
                   .figures = 0,
                   .status = test.status,
                   .expected = e.text,
                   .outcome = v->outcome,
                   .why = v->reason});
  }
  return out;
}

std::vector<SwitchRow> short_rows(const SwitchRun& run, const TestReport& test, std::size_t most) {
  constexpr std::size_t kManyRows = 16;
  std::vector<SwitchRow> rows = switch_rows(run, test, most);
  for (; rows.size() > kManyRows && most > 1; rows = switch_rows(run, test, most)) most /= 2;
  return rows;
}

}  // namespace softfeb::report
