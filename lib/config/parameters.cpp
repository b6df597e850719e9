// SPDX-License-Identifier: BSD-3-Clause
// Notation of the parameters of congestion/algorithm.hpp.
#include "config/congestion.hpp"
#include "config/emit.hpp"
#include "config/section.hpp"
#include "config/units.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include <nlohmann/json.hpp>

namespace softfeb::config {

namespace {

using congestion::Parameter;
using congestion::ParameterUnit;

/// Parses a decimal number, with an exponent if necessary.
Parsed<double> parse_real(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && rest == end && std::isfinite(value)) return value;
  return {'"' + text + "\" is not a number", "write a number such as 0.5"};
}

Parsed<double> as_real(const Parsed<std::uint64_t>& whole) {
  if (!whole.value) return whole.failure<double>();
  return static_cast<double>(*whole.value);
}

Parsed<double> parse_in_unit(const Parameter& p, const std::string& text) {
  switch (p.unit) {
    case ParameterUnit::kReal:
      return parse_real(text);
    case ParameterUnit::kCount:
      return as_real(parse_integer(text, 0, std::uint64_t{1} << 53));
    case ParameterUnit::kSwitch: {
      const auto on = parse_bool(text);
      return on.value ? Parsed<double>(*on.value ? 1.0 : 0.0) : on.failure<double>();
    }
    case ParameterUnit::kRate:
      return text == "0" ? Parsed<double>(0.0) : as_real(parse_bandwidth(text));
    case ParameterUnit::kTime:
      return as_real(parse_time(text));
    case ParameterUnit::kSize:
      break;
  }
  return as_real(parse_size(text));
}

std::string text_of(const Parameter& p, double value) {
  if (p.unit == ParameterUnit::kReal) {
    std::array<char, 32> digits{};
    char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    return std::string(digits.data(), end);
  }
  const Json json = emit_value(p, value);
  return json.is_string() ? json.get<std::string>() : json.dump();
}

const char* unit_name(ParameterUnit unit) {
  switch (unit) {
    case ParameterUnit::kReal:
      return "real";
    case ParameterUnit::kCount:
      return "number";
    case ParameterUnit::kSwitch:
      return "switch";
    case ParameterUnit::kRate:
      return "rate";
    case ParameterUnit::kTime:
      return "time";
    case ParameterUnit::kSize:
      break;
  }
  return "size";
}

}  // namespace

Parsed<double> parse_value(const Parameter& p, const std::string& text) {
  auto value = parse_in_unit(p, text);
  if (value.value && (*value.value < p.lowest || *value.value > p.highest))
    return {text + " is out of bounds", "write " + text_of(p, p.lowest) + " to " + text_of(p, p.highest)};
  return value;
}

Json emit_value(const Parameter& p, double value) {
  const auto whole = static_cast<std::uint64_t>(value);
  switch (p.unit) {
    case ParameterUnit::kReal:
      break;
    case ParameterUnit::kCount:
      return whole;
    case ParameterUnit::kSwitch:
      return value != 0;
    case ParameterUnit::kRate:
      return whole == 0 ? Json(0) : Json(format_bandwidth(whole));
    case ParameterUnit::kTime:
      return format_time(whole);
    case ParameterUnit::kSize:
      return format_size(whole);
  }
  return value;
}

Json describe_parameters(const congestion::Algorithm& algorithm) {
  Json all = Json::object();
  for (const Parameter& p : algorithm.parameters()) {
    Json& json = all[std::string(p.name)];
    json = {{"text", p.text}, {"unit", unit_name(p.unit)}};
    if (p.unit == ParameterUnit::kReal || p.unit == ParameterUnit::kCount) {
      json["lowest"] = emit_value(p, p.lowest);
      json["highest"] = emit_value(p, p.highest);
    }
  }
  return all;
}

}  // namespace softfeb::config
