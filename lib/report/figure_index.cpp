// SPDX-License-Identifier: BSD-3-Clause
#include "report/figure_index.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

namespace softfeb::report {

using switchtest::Figure;
using switchtest::Status;
using switchtest::TestReport;

namespace {

/// Formats a number with thousands separators, for example "1,048,576". Numbers that are not integers have
/// six significant digits.
std::string grouped(double number) {
  constexpr double kError = 1e-9;
  if (std::abs(number - std::round(number)) < kError * std::abs(number)) number = std::round(number);
  if (number != std::floor(number) || std::abs(number) >= 0x1p62) return fmt::format("{:.6g}", number);
  std::string digits = std::to_string(std::abs(static_cast<std::int64_t>(number)));
  constexpr std::size_t kGroup = 3;
  for (std::size_t at = digits.size(); at > kGroup; at -= kGroup) digits.insert(at - kGroup, ",");
  return (number < 0 ? "-" : "") + digits;
}

}  // namespace

const TestReport* FigureIndex::test(std::string_view name) const {
  const auto it = std::find_if(report_.tests.begin(), report_.tests.end(),
                               [&](const TestReport& t) { return t.name == name; });
  return it == report_.tests.end() ? nullptr : &*it;
}

std::vector<const Figure*> FigureIndex::all(std::string_view test, std::string_view name) const {
  std::vector<const Figure*> out;
  if (const TestReport* const in = this->test(test))
    for (const Figure& f : in->figures)
      if (f.name == name) out.push_back(&f);
  return out;
}

const Figure* FigureIndex::find(std::string_view test, std::string_view name, const Labels& labels) const {
  for (const Figure* const f : all(test, name))
    if (f->labels == labels) return f;
  return nullptr;
}

const Figure* FigureIndex::measured(std::string_view test, std::string_view name,
                                    const Labels& labels) const {
  const Figure* const f = find(test, name, labels);
  return f != nullptr && f->status == Status::kMeasured ? f : nullptr;
}

std::string FigureIndex::word(std::string_view test, std::string_view name) const {
  const Figure* const f = find(test, name);
  return f != nullptr && (f->status == Status::kMeasured || f->status == Status::kBounded) ? f->text : "";
}

bool FigureIndex::absent(std::string_view test, std::string_view name) const {
  const Figure* const f = find(test, name);
  return f != nullptr && f->status == Status::kAbsent;
}

std::string FigureIndex::why_not(std::string_view test, std::string_view name) const {
  const TestReport* const in = this->test(test);
  if (in == nullptr) return "the test " + std::string(test) + " did not run";
  for (const Figure* const f : all(test, name))
    if (!f->reason.empty()) return f->reason;
  return in->reason.empty() ? "the test " + std::string(test) + " gives no such figure" : in->reason;
}

WholeRange range_of(const Figure& figure, double scale) {
  const double value = figure.value.value_or(0);
  return whole_range(figure.low.value_or(value) * scale, figure.high.value_or(value) * scale);
}

std::string interval_note(std::string_view test, const Figure& figure) {
  const std::string unit = figure.unit.empty() ? "" : ' ' + figure.unit;
  double low = figure.low.value_or(figure.value.value_or(0)), high = figure.high.value_or(low);
  if (figure.unit == "B" && std::ceil(low) <= std::floor(high)) {
    low = std::ceil(low);
    high = std::floor(high);
  }
  const std::string from = grouped(low), to = grouped(high);
  if (!figure.high && figure.low) return fmt::format("{}: at least {}{}", test, from, unit);
  return fmt::format("{}: {}{}{}", test, from, from == to ? "" : " to " + to, unit);
}

}  // namespace softfeb::report
