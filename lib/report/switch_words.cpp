// SPDX-License-Identifier: BSD-3-Clause
// Formats figures, intervals and names as text.
#include "report/switch_rows.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace softfeb::report {

using switchtest::Effort;
using switchtest::Figure;
using switchtest::Method;
using switchtest::RigKind;
using switchtest::Status;

namespace {

/// Width of the interval; 0 if a bound is unknown.
double width_of_interval(const Figure& figure) {
  return figure.low && figure.high ? *figure.high - *figure.low : 0;
}

std::string with_unit(const std::string& number, const std::string& unit) {
  return unit.empty() ? number : number + " " + unit;
}

}  // namespace

std::string number_words(double value, double interval_width) {
  constexpr double kLargestWhole = 1e15, kSmall = 1e-4;
  if (!std::isfinite(value) || value == 0) return fmt::format("{}", value);
  const double size = std::abs(value);
  if (size >= kLargestWhole || size < kSmall) return fmt::format("{:.3g}", value);
  if (value == std::floor(value)) return fmt::format("{:.0f}", value);
  int decimals = std::max(0, 5 - static_cast<int>(std::floor(std::log10(size))));
  // Show two digits of the width of the interval; further digits would be meaningless.
  if (std::isfinite(interval_width) && interval_width > 0)
    decimals = std::clamp(1 - static_cast<int>(std::floor(std::log10(interval_width))), 0, decimals);
  std::string out = fmt::format("{:.{}f}", value, decimals);
  if (decimals == 0) return out;
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out;
}

std::string value_words(const Figure& figure) {
  if (!figure.text.empty()) return figure.text;
  const double width = width_of_interval(figure);
  const bool bounded = figure.status == Status::kBounded;
  if (bounded && figure.low && !figure.high && figure.value.value_or(*figure.low) == *figure.low)
    return "≥ " + with_unit(number_words(*figure.low, 0), figure.unit);
  if (bounded && figure.high && !figure.low && figure.value.value_or(*figure.high) == *figure.high)
    return "≤ " + with_unit(number_words(*figure.high, 0), figure.unit);
  if (figure.value) return with_unit(number_words(*figure.value, width), figure.unit);
  return switchtest::name(figure.status);
}

std::string interval_words(const Figure& figure) { return interval_words(figure, width_of_interval(figure)); }

std::string interval_words(const Figure& figure, double width) {
  if (figure.low && figure.high) {
    if (*figure.low == *figure.high) return "exact";
    return number_words(*figure.low, width) + " to " + number_words(*figure.high, width);
  }
  if (figure.low) return "at least " + number_words(*figure.low, 0);
  if (figure.high) return "at most " + number_words(*figure.high, 0);
  return {};
}

std::string label_words(const FigureLabels& labels) {
  std::string out;
  for (const auto& [key, value] : labels) out += (out.empty() ? "" : ", ") + key + "=" + value;
  return out;
}

std::string labelled(const std::string& name, const FigureLabels& labels) {
  std::string out;
  for (const auto& [key, value] : labels) out += (out.empty() ? "" : ",") + key + "=" + value;
  return out.empty() ? name : name + "[" + out + "]";
}

std::string_view sign_of(switchtest::Verdict::Outcome outcome) {
  switch (outcome) {
    case switchtest::Verdict::Outcome::kHeld:
      return "✓";
    case switchtest::Verdict::Outcome::kFailed:
      return "✗";
    case switchtest::Verdict::Outcome::kUndecided:
      break;
  }
  return "?";
}

std::string_view name_of(switchtest::Verdict::Outcome outcome) {
  switch (outcome) {
    case switchtest::Verdict::Outcome::kHeld:
      return "held";
    case switchtest::Verdict::Outcome::kFailed:
      return "failed";
    case switchtest::Verdict::Outcome::kUndecided:
      break;
  }
  return "undecided";
}

std::string_view name_of(RigKind rig) {
  switch (rig) {
    case RigKind::kVirtual:
      return "virtual";
    case RigKind::kRings:
      return "rings";
    case RigKind::kPorts:
      break;
  }
  return "ports";
}

std::string_view name_of(Effort effort) {
  switch (effort) {
    case Effort::kQuick:
      return "quick";
    case Effort::kStandard:
      return "standard";
    case Effort::kRfc:
      break;
  }
  return "rfc";
}

std::string_view name_of(Method method) {
  switch (method) {
    case Method::kCount:
      return "count";
    case Method::kSearch:
      return "search";
    case Method::kFit:
      return "fit";
    case Method::kMean:
      return "mean";
    case Method::kOrder:
      break;
  }
  return "order";
}

}  // namespace softfeb::report
