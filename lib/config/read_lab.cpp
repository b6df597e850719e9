// SPDX-License-Identifier: BSD-3-Clause
#include "config/draft.hpp"
#include "config/error.hpp"
#include "config/lab_checks.hpp"
#include "config/units.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace softfeb::config {
namespace {

constexpr std::size_t kMostPoints = 100'000;

/// Parses a fraction from 0 to 1. Unlike parse_probability(), accepts 1 without a percent sign, because
/// fairness indices are written as 0.99 or 1.
Parsed<double> parse_share(const std::string& text) {
  if (text == "1" || text == "1.0") return 1.0;
  const auto share = parse_probability(text);
  if (!share.value) return {share.message, "write a share such as 99% or 0.99"};
  return static_cast<double>(share.value->billionths) / Probability::kOne;
}

template <class T>
Parsed<double> scaled(const Parsed<T>& value, double unit) {
  if (!value.value) return value.template failure<double>();
  return static_cast<double>(*value.value) / unit;
}

Parsed<double> parse_factor(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= 0 && std::isfinite(value))
    return value;
  return {'"' + text + "\" is not a factor", "write a number of at least 0, for example 2.5"};
}

Parsed<double> parse_limit(const std::string& text, LimitUnit unit) {
  switch (unit) {
    case LimitUnit::kShare:
      return parse_share(text);
    case LimitUnit::kTime:
      return scaled(parse_time(text), static_cast<double>(kSecond));
    case LimitUnit::kBytes:
      return scaled(parse_size(text), 1);
    case LimitUnit::kFactor:
      return parse_factor(text);
    case LimitUnit::kCount:
      break;
  }
  return scaled(parse_integer(text, 0, std::uint64_t{1} << 53), 1);
}

/// Parses "at least X", "at most X", or X with the default direction of the check.
Parsed<double> parse_check(const std::string& text, const LabCheckKind& kind, std::optional<bool>& at_least) {
  constexpr std::string_view kAtLeast = "at least ", kAtMost = "at most ";
  if (text.starts_with(kAtLeast)) {
    at_least = true;
    return parse_limit(text.substr(kAtLeast.size()), kind.unit);
  }
  if (text.starts_with(kAtMost)) {
    at_least = false;
    return parse_limit(text.substr(kAtMost.size()), kind.unit);
  }
  return parse_limit(text, kind.unit);
}

void read_checks(Section& s, std::vector<LabCheck>& checks) {
  const Node* node = s.find("checks");
  if (node == nullptr || node->kind == Node::Kind::kNull) return;
  if (node->kind != Node::Kind::kMap) {
    return s.reading().problem(node->where, "is not a map", "write one line `NAME: LIMIT` for each check");
  }
  for (const Node& child : node->children) {
    LabCheck check;
    check.name = child.name;
    check.where = child.where;
    const LabCheckKind* const kind = find_lab_check(child.name);
    if (kind == nullptr) {
      std::vector<std::string> names;
      for (const LabCheckKind& known : kLabChecks) names.emplace_back(known.name);
      const std::string* near = nearest(child.name, names);
      std::string fix;
      for (const std::string& name : names) fix += (fix.empty() ? "write one of " : ", ") + name;
      s.reading().problem(child.where, "no check \"" + child.name.substr(0, 64) + '"',
                          near != nullptr ? "did you mean `" + *near + "`?" : fix);
    } else if (s.scalar(child, check.limit,
                        [&](const std::string& t) { return parse_check(t, *kind, check.at_least); })) {
      check.text = child.text;
      checks.push_back(std::move(check));
    }
  }
}

SweepAxis read_axis(Section s) {
  SweepAxis axis;
  axis.where = s.where();
  s.require("key", axis.key, parse_text, "boards.feb.dcqcn.rai");
  for (const Node& value : s.list("values")) s.scalar(value, axis.values.emplace_back(), parse_text);
  if (axis.values.empty()) s.missing("values", "[24Mb/s, 48Mb/s]");
  s.close();
  return axis;
}

void read_sweep(Section& s, std::vector<SweepAxis>& sweep) {
  std::size_t points = 1;
  for (const Node& node : s.list("sweep")) {
    sweep.push_back(read_axis(Section(s.reading(), node, s.pattern("sweep[]"))));
    points *= std::max<std::size_t>(1, sweep.back().values.size());
    if (points <= kMostPoints) continue;
    return s.reading().problem(node.where, "gives more than " + std::to_string(kMostPoints) + " runs",
                               "remove values, or vary fewer keys at a time");
  }
}

/// True if the name of a section is a valid folder name. This is required because a folder gets the same
/// name.
bool is_folder_name(const std::string& name) {
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), fits);
}

void read_compare(Section& s, std::vector<Node>& compare) {
  const Node* node = s.find("compare");
  if (node == nullptr || node->kind == Node::Kind::kNull) return;
  if (node->kind != Node::Kind::kMap) {
    return s.reading().problem(node->where, "is not a map",
                               "write for example {swift: {ai: 2}}, or {mine: {plugin: ./mine.so}}");
  }
  for (const Node& section : node->children) {
    if (!is_folder_name(section.name)) {
      s.reading().problem(section.where, "is not a name for a run",
                          "write letters, digits, _ and -, at most 64");
    } else if (section.kind != Node::Kind::kMap && section.kind != Node::Kind::kNull) {
      s.reading().problem(section.where, "is not a section",
                          "write for example {algorithm: swift, ai: 2}; {} has default parameters");
    } else {
      check_compared(s.reading(), section);
      compare.push_back(section);
    }
  }
}

}  // namespace

void read_lab(Section s, LabDraft& draft) {
  LabSettings& lab = draft.lab;
  lab.where = s.where();
  s.read("title", lab.title, parse_text);
  s.read("shows", lab.shows, parse_text);
  s.read("corresponds", lab.corresponds, parse_text);
  s.read("bottleneck", draft.bottleneck, parse_text);
  if (const Node* node = s.find("bottleneck")) draft.bottleneck_where = node->where;
  s.read("sample_interval", lab.sample_interval, [](const std::string& text) -> Parsed<Time> {
    auto time = parse_time(text);
    if (time.value && *time.value < 10 * kMicrosecond) return {text + " is too short", "write at least 10us"};
    return time;
  });
  Probability preempted;
  if (s.read("stolen_limit", preempted, parse_probability)) {
    lab.stolen_limit = static_cast<double>(preempted.billionths) / Probability::kOne;
  }
  read_checks(s, lab.checks);
  read_sweep(s, lab.sweep);
  read_compare(s, lab.compare);
  s.close();
}

}  // namespace softfeb::config
