// SPDX-License-Identifier: BSD-3-Clause
#include "score.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace softfeb::test {

using namespace switchtest;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Tolerance for the rounding of floating-point numbers and of picoseconds.
constexpr double kRounding = 1e-6;

std::string describe(const Truth& truth, const Figure& figure) {
  std::ostringstream out;
  out << truth.test << '.' << figure.name;
  for (const auto& [name, value] : figure.labels) out << ' ' << name << '=' << value;
  out << ": found ";
  if (figure.value) out << *figure.value;
  out << figure.text << " [" << figure.low.value_or(-kInfinity) << ", " << figure.high.value_or(kInfinity)
      << "], the truth is ";
  if (truth.absent) out << "absent";
  if (truth.value) out << *truth.value;
  out << truth.text;
  return out.str();
}

/// Compares a figure that has a number.
void compare_value(const Truth& truth, const Figure& figure, Score& out) {
  ++out.values;
  const bool bounded = figure.status == Status::kBounded;
  const double low = figure.low.value_or(bounded ? -kInfinity : *figure.value);
  const double high = figure.high.value_or(bounded ? kInfinity : *figure.value);
  const double tolerance = truth.slack + kRounding * std::max(1.0, std::abs(*truth.value));
  const double outside = std::max(low - *truth.value, *truth.value - high);
  if (outside <= tolerance) {
    ++out.covered;
    return;
  }
  const double width = std::isfinite(high - low) ? high - low : 0;
  if (outside > tolerance + 2 * width) ++out.far;
  out.complaints.push_back(describe(truth, figure));
}

void compare(const Truth& truth, const Figure& figure, Score& out) {
  if (figure.status == Status::kUnresolvable || figure.status == Status::kInconclusive) {
    ++out.silent;
    return;
  }
  const bool absent = figure.status == Status::kAbsent;
  if (absent || truth.absent || !truth.value) {
    const bool right = absent == truth.absent && (absent || figure.text == truth.text);
    ++(right ? out.words : out.wrong_class);
    if (!right) out.complaints.push_back(describe(truth, figure));
    return;
  }
  if (!figure.value && !figure.low && !figure.high) {
    ++out.wrong_class;
    out.complaints.push_back(describe(truth, figure));
    return;
  }
  compare_value(truth, figure, out);
}

bool applies(const Truth& truth, const Figure& figure) {
  return figure.name == truth.figure &&
         std::all_of(truth.labels.begin(), truth.labels.end(), [&](const auto& label) {
           const auto at = figure.labels.find(label.first);
           return at != figure.labels.end() && at->second == label.second;
         });
}

}  // namespace

void Score::add(const Score& other) {
  values += other.values;
  covered += other.covered;
  far += other.far;
  words += other.words;
  wrong_class += other.wrong_class;
  silent += other.silent;
  complaints.insert(complaints.end(), other.complaints.begin(), other.complaints.end());
}

Score score(const SwitchReport& report, const std::vector<Truth>& truths) {
  Score out;
  for (const Truth& truth : truths) {
    const auto test = std::find_if(report.tests.begin(), report.tests.end(),
                                   [&](const TestReport& t) { return t.name == truth.test; });
    if (test == report.tests.end()) continue;
    bool found = false;
    for (const Figure& figure : test->figures) {
      if (!applies(truth, figure)) continue;
      found = true;
      compare(truth, figure, out);
    }
    if (!found) ++(truth.absent ? out.words : out.silent);
  }
  return out;
}

}  // namespace softfeb::test
