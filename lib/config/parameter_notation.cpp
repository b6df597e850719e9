// SPDX-License-Identifier: BSD-3-Clause
// The notation of congestion control parameters: those of DCQCN (dcqcn/fields.hpp) and those of other
// algorithms (congestion/algorithm.hpp).
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
using Notation = congestion::Unit;

/// Parses a number of firmware clocks, or a time, which is rounded up to whole clocks.
Parsed<std::uint64_t> parse_clocks(const std::string& text, std::uint64_t highest) {
  std::uint64_t n = 0;
  if (text.find_first_not_of("0123456789") == std::string::npos) {
    const auto number = parse_integer(text, 0, UINT64_MAX);
    if (!number.value) return number;
    n = *number.value;
  } else {
    const auto time = parse_time(text);
    if (!time.value) return time;
    n = (*time.value + kFirmwareClock - 1) / kFirmwareClock;
  }
  if (n > highest) {
    return {text + " exceeds the register's range",
            "write at most " + std::to_string(highest) + " clocks of 6.4 ns"};
  }
  return n;
}

Parsed<std::uint64_t> parse_register_rate(const std::string& text, std::uint64_t highest) {
  auto rate = parse_bandwidth(text);
  if (rate.value && *rate.value > highest)
    return {text + " exceeds the register's range", "write at most 34Gb/s"};
  return rate;
}

Parsed<std::uint64_t> parse_switch(const std::string& text) {
  const auto on = parse_bool(text);
  if (!on.value) return on.failure<std::uint64_t>();
  return std::uint64_t{*on.value ? 1U : 0U};
}

Parsed<std::uint64_t> parse_word(const std::string& text, std::span<const std::string_view> words) {
  Choices<std::uint64_t> choices;
  for (std::uint64_t i = 0; i < words.size(); ++i) choices.names.emplace_back(words[i], i);
  return choices(text);
}

/// Parses an integer in a unit whose notation is the same for all algorithms.
Parsed<std::uint64_t> parse_whole(Notation unit, const std::string& text, std::uint64_t highest) {
  switch (unit) {
    case Notation::kSwitch:
      return parse_switch(text);
    case Notation::kRate:
      return parse_bandwidth(text);
    case Notation::kTime:
      return parse_time(text);
    case Notation::kSize:
      return parse_size(text);
    default:
      return parse_integer(text, 0, highest);
  }
}

Json emit_whole(Notation unit, std::uint64_t value) {
  switch (unit) {
    case Notation::kSwitch:
      return value != 0;
    case Notation::kRate:
      return format_bandwidth(value);
    case Notation::kTime:
      return format_time(value);
    case Notation::kSize:
      return format_size(value);
    default:
      return value;
  }
}

const char* unit_name(Notation unit) {
  switch (unit) {
    case Notation::kReal:
      return "real";
    case Notation::kCount:
      return "number";
    case Notation::kSwitch:
      return "switch";
    case Notation::kRate:
      return "rate";
    case Notation::kTime:
      return "time";
    case Notation::kSize:
      return "size";
    case Notation::kClocks:
      return "clocks";
    case Notation::kWord:
      break;
  }
  return "word";
}

/// Parses a decimal number, which may have an exponent.
Parsed<double> parse_real(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && rest == end && std::isfinite(value)) return value;
  return {'"' + text + "\" is not a number", "write a number such as 0.5"};
}

Parsed<double> parse_in_unit(const Parameter& p, const std::string& text) {
  if (p.unit == Notation::kReal) return parse_real(text);
  // 0 is not a valid bandwidth of a link, so parse_bandwidth() would reject it.
  if (p.unit == Notation::kRate && text == "0") return 0.0;
  // A double represents every integer up to this one exactly.
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
  const auto whole = parse_whole(p.unit, text, kExact);
  if (!whole.value) return whole.failure<double>();
  return static_cast<double>(*whole.value);
}

std::string real_text(double value) {
  std::array<char, 32> digits{};
  char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return std::string(digits.data(), end);
}

std::string text_of(const Parameter& p, double value) {
  if (p.unit == Notation::kReal) return real_text(value);
  const Json json = emit_value(p, value);
  return json.is_string() ? json.get<std::string>() : json.dump();
}

template <class Parameters>
Json describe_fields() {
  Json all = Json::object();
  for (const auto& field : dcqcn::fields_of<Parameters>()) {
    Json& json = all[std::string(field.name)];
    json = {{"text", field.text}, {"unit", unit_name(field.unit)}};
    if (field.unit == Notation::kCount) json["highest"] = field.highest;
  }
  return all;
}

}  // namespace

Parsed<std::uint64_t> parse_value(const dcqcn::FieldInfo& field, const std::string& text) {
  switch (field.unit) {
    case Notation::kClocks:
      return parse_clocks(text, field.highest);
    case Notation::kRate:
      return parse_register_rate(text, field.highest);
    case Notation::kWord:
      return parse_word(text, field.words);
    default:
      return parse_whole(field.unit, text, field.highest);
  }
}

Json emit_value(const dcqcn::FieldInfo& field, std::uint64_t value) {
  return field.unit == Notation::kWord ? Json(field.words[value]) : emit_whole(field.unit, value);
}

Parsed<double> parse_value(const Parameter& p, const std::string& text) {
  auto value = parse_in_unit(p, text);
  if (value.value && (*value.value < p.lowest || *value.value > p.highest))
    return {text + " is out of bounds", "write " + text_of(p, p.lowest) + " to " + text_of(p, p.highest)};
  return value;
}

Json emit_value(const Parameter& p, double value) {
  if (p.unit == Notation::kReal) return value;
  if (p.unit == Notation::kRate && value == 0) return 0;
  return emit_whole(p.unit, static_cast<std::uint64_t>(value));
}

Json describe_parameters(const congestion::Algorithm& algorithm) {
  Json all = Json::object();
  for (const Parameter& p : algorithm.parameters()) {
    Json& json = all[std::string(p.name)];
    json = {{"text", p.text}, {"unit", unit_name(p.unit)}};
    if (p.unit == Notation::kReal || p.unit == Notation::kCount) {
      json["lowest"] = emit_value(p, p.lowest);
      json["highest"] = emit_value(p, p.highest);
    }
  }
  return all;
}

Json describe_congestion_parameters() {
  Json all{{"firmware", describe_fields<dcqcn::FirmwareParameters>()},
           {"paper", describe_fields<dcqcn::PaperParameters>()}};
  for (const congestion::Algorithm* other : congestion::algorithms())
    all[std::string(other->name())] = describe_parameters(*other);
  return all;
}

}  // namespace softfeb::config
