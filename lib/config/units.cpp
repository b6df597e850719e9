// SPDX-License-Identifier: BSD-3-Clause
#include "config/units.hpp"

#include "base/uint128.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace softfeb::config {
namespace {

/// A unit is `multiplier` / `divisor` base units. Error messages use the first unit of a table in their
/// examples.
struct Unit {
  std::string_view name;
  std::uint64_t multiplier;
  std::uint64_t divisor = 1;
  Rate::Unit rate = Rate::Unit::kPayloadBytes;
};

constexpr Unit kTimes[] = {
    {"ms", kMillisecond}, {"ps", 1},      {"ns", kNanosecond},   {"us", kMicrosecond},
    {"µs", kMicrosecond}, {"s", kSecond}, {"min", 60 * kSecond}, {"h", 3600 * kSecond}};

constexpr std::uint64_t kKilo = 1'000, kMega = 1'000'000, kGiga = 1'000'000'000, kTera = 1'000'000'000'000;

constexpr Unit kSizes[] = {
    {"KiB", 1U << 10}, {"B", 1},      {"MiB", 1U << 20}, {"GiB", 1U << 30}, {"TiB", std::uint64_t{1} << 40},
    {"kB", kKilo},     {"MB", kMega}, {"GB", kGiga},     {"TB", kTera}};

constexpr Unit kBandwidths[] = {{"Gb/s", kGiga, 8},  {"b/s", 1, 8},       {"kb/s", kKilo, 8},
                                {"Mb/s", kMega, 8},  {"Tb/s", kTera, 8},  {"B/s", 1},
                                {"kB/s", kKilo},     {"MB/s", kMega},     {"GB/s", kGiga},
                                {"KiB/s", 1U << 10}, {"MiB/s", 1U << 20}, {"GiB/s", 1U << 30}};

constexpr Unit kEvents[] = {
    {"pps", 1, 1, Rate::Unit::kPackets},         {"kpps", kKilo, 1, Rate::Unit::kPackets},
    {"Mpps", kMega, 1, Rate::Unit::kPackets},    {"msg/s", 1, 1, Rate::Unit::kMessages},
    {"kmsg/s", kKilo, 1, Rate::Unit::kMessages}, {"Mmsg/s", kMega, 1, Rate::Unit::kMessages}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The number digits / 10^scale.
struct Decimal {
  std::uint64_t digits = 0;
  unsigned scale = 0;
};

/// Number and unit of a text such as "12.5 Gb/s". The number has at most 19 digits, so that no product below
/// exceeds 128 bits.
struct Quantity {
  std::string_view number;
  std::string_view unit;
  Decimal value;
};

Parsed<Quantity> split(std::string_view text, std::string_view what, std::string_view example) {
  std::size_t end = 0;
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
  Quantity q{text.substr(0, end), text.substr(end), {}};
  while (!q.unit.empty() && q.unit.front() == ' ') q.unit.remove_prefix(1);
  const std::string quoted = '"' + std::string(text) + "\" is not a " + std::string(what);
  const std::string fix = "write a number and a unit, for example " + std::string(example);
  unsigned digits = 0;
  bool point = false;
  for (const char c : q.number) {
    if (c == '.') {
      if (point) return {quoted, fix};
      point = true;
      continue;
    }
    const auto digit = static_cast<unsigned>(c - '0');
    if (++digits > 20 || q.value.digits > (UINT64_MAX - digit) / 10)
      return {quoted + ": too many digits", fix};
    q.value.digits = q.value.digits * 10 + digit;
    if (point) ++q.value.scale;
  }
  if (digits == 0 || q.number.front() == '.' || q.number.back() == '.') return {quoted, fix};
  return q;
}

Uint128 power_of_ten(unsigned n) {
  Uint128 p = 1;
  while (n-- > 0) p *= 10;
  return p;
}

Parsed<std::uint64_t> scale(const Quantity& q, const Unit& unit, std::string_view finest) {
  const Uint128 numerator = static_cast<Uint128>(q.value.digits) * unit.multiplier;
  const Uint128 divisor = power_of_ten(q.value.scale) * unit.divisor;
  const std::string text = std::string(q.number) + std::string(unit.name);
  if (numerator % divisor != 0) {
    return {text + " is not a whole number of " + std::string(finest), "round it"};
  }
  const Uint128 result = numerator / divisor;
  if (result >= UINT64_MAX) return {text + " is too large", "use a smaller value"};
  return static_cast<std::uint64_t>(result);
}

std::string names_of(std::span<const Unit> units) {
  std::string text;
  for (const Unit& unit : units) text += (text.empty() ? "" : " ") + std::string(unit.name);
  return text;
}

const Unit* find_unit(std::span<const Unit> units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

/// Returns the error for a missing or unknown unit. Its fix suggests the same number with the usual unit, and
/// lists all units.
template <class T>
Parsed<T> unit_problem(const Quantity& q, std::string_view usual, const std::string& all) {
  const std::string number(q.number);
  const std::string fix = "write " + number + std::string(usual) + " (units: " + all + ")";
  if (q.unit.empty()) return {'"' + number + "\" has no unit", fix};
  return {"unknown unit \"" + std::string(q.unit) + '"', fix};
}

Parsed<std::uint64_t> parse_quantity(const std::string& text, std::span<const Unit> units,
                                     std::string_view what, std::string_view example,
                                     std::string_view finest) {
  const auto q = split(text, what, example);
  if (!q.value) return q.failure<std::uint64_t>();
  const Unit* unit = find_unit(units, q.value->unit);
  if (unit == nullptr) {
    if (q.value->unit.empty() && q.value->value.digits == 0) return std::uint64_t{0};
    return unit_problem<std::uint64_t>(*q.value, units.front().name, names_of(units));
  }
  return scale(*q.value, *unit, finest);
}

/// Formats with the largest unit that gives an integer.
std::string format(std::uint64_t value, std::span<const Unit> units) {
  if (value == 0) return "0";
  const Unit* best = nullptr;
  for (const Unit& unit : units) {
    if (unit.divisor != 1 || unit.name == "µs" || value % unit.multiplier != 0) continue;
    if (best == nullptr || unit.multiplier > best->multiplier) best = &unit;
  }
  return std::to_string(value / best->multiplier) + std::string(best->name);
}

}  // namespace

Parsed<Time> parse_time(const std::string& text) {
  return parse_quantity(text, kTimes, "time", "55us", "picoseconds");
}

Parsed<std::uint64_t> parse_size(const std::string& text) {
  return parse_quantity(text, kSizes, "size", "64KiB", "bytes");
}

Parsed<Time> parse_time_in(const std::string& text, Time low, Time high, const char* what) {
  auto time = parse_time(text);
  if (!time.value || (*time.value >= low && *time.value <= high)) return time;
  return {text + " is out of range for " + what,
          "write a time from " + format_time(low) + " to " + format_time(high)};
}

Parsed<std::uint64_t> parse_size_in(const std::string& text, std::uint64_t low, std::uint64_t high,
                                    const char* what) {
  auto size = parse_size(text);
  if (!size.value || (*size.value >= low && *size.value <= high)) return size;
  return {text + " is out of range for " + what,
          "write a size from " + format_size(low) + " to " + format_size(high)};
}

Parsed<std::uint64_t> parse_bandwidth(const std::string& text) {
  auto parsed = parse_quantity(text, kBandwidths, "rate", "10Gb/s", "bytes per second");
  if (parsed.value == 0U) return {"a rate of 0 sends nothing", "write a rate such as 10Gb/s"};
  return parsed;
}

Parsed<Rate> parse_rate(const std::string& text) {
  if (text == "max") return Rate{};
  const auto q = split(text, "rate", "10Gb/s, 100kpps or 1000msg/s, or max");
  if (!q.value) return q.failure<Rate>();
  const Unit* unit = find_unit(kBandwidths, q.value->unit);
  if (unit == nullptr) unit = find_unit(kEvents, q.value->unit);
  if (unit == nullptr) {
    return unit_problem<Rate>(*q.value, kBandwidths[0].name, names_of(kBandwidths) + ' ' + names_of(kEvents));
  }
  constexpr std::string_view kFinest[] = {"", "bytes per second", "packets per second",
                                          "messages per second"};
  const auto scaled = scale(*q.value, *unit, kFinest[static_cast<std::size_t>(unit->rate)]);
  if (!scaled.value) return scaled.failure<Rate>();
  if (*scaled.value == 0) return {"a rate of 0 sends nothing", "write a rate such as 10Gb/s, or max"};
  return Rate{unit->rate, *scaled.value};
}

Parsed<Probability> parse_probability(const std::string& text) {
  constexpr Unit kParts[] = {{"%", Probability::kOne, 100}, {"", Probability::kOne}};
  const auto q = split(text, "probability", "1% or 0.01");
  if (!q.value) return q.failure<Probability>();
  const Unit* unit = find_unit(kParts, q.value->unit);
  if (unit == nullptr) return unit_problem<Probability>(*q.value, "%", "%, or none with a decimal point");
  if (unit->name.empty() && q.value->value.scale == 0 && q.value->value.digits != 0) {
    const std::string number(q.value->number);
    return {'"' + number + "\" may be a percentage or a fraction",
            "write " + number + "% or a fraction such as 0.01"};
  }
  const auto scaled = scale(*q.value, *unit, "billionths");
  if (!scaled.value) return scaled.failure<Probability>();
  if (*scaled.value > Probability::kOne) return {"a probability above 100%", "write at most 100%"};
  return Probability{static_cast<std::uint32_t>(*scaled.value)};
}

std::string format_time(Time time) { return format(time, kTimes); }
std::string format_size(std::uint64_t bytes) {
  // Uses binary units only, because sizes are rarely meant in powers of 1000.
  return format(bytes, std::span<const Unit>(kSizes).first(5));
}

std::string format_bandwidth(std::uint64_t bytes_per_second) {
  for (const Unit& unit : {kBandwidths[0], kBandwidths[3], kBandwidths[2]}) {
    const std::uint64_t bytes = unit.multiplier / unit.divisor;
    if (bytes_per_second != 0 && bytes_per_second % bytes == 0) {
      return std::to_string(bytes_per_second / bytes) + std::string(unit.name);
    }
  }
  return std::to_string(bytes_per_second) + "B/s";
}

std::string format_rate(const Rate& rate) {
  switch (rate.unit) {
    case Rate::Unit::kUnlimited:
      return "max";
    case Rate::Unit::kPayloadBytes:
      return format_bandwidth(rate.per_second);
    case Rate::Unit::kPackets:
      return std::to_string(rate.per_second) + "pps";
    case Rate::Unit::kPeriod:
      return "one message per " + format_time(rate.period);
    case Rate::Unit::kMessages:
      break;
  }
  return std::to_string(rate.per_second) + "msg/s";
}

std::string format_probability(Probability probability) {
  if (probability.billionths == 0) return "0";
  std::string fraction = std::to_string(probability.billionths % 10'000'000 + 10'000'000).substr(1);
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  return std::to_string(probability.billionths / 10'000'000) + (fraction.empty() ? "" : "." + fraction) + '%';
}

}  // namespace softfeb::config
