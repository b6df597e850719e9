// SPDX-License-Identifier: BSD-3-Clause
#include "config/units.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>

namespace softfeb::config {
namespace {

constexpr const char* kClockFix = "write 2026-05-04T12:00:00Z, or +02:00 instead of Z";

/// Removes exactly `digits` decimal digits from the front of `text` and then the separator. If `separator` is
/// 0, there is no separator.
bool take(std::string_view& text, std::size_t digits, char separator, int& out) {
  if (text.size() < digits + (separator != 0 ? 1 : 0)) return false;
  const char* end = text.data() + digits;
  const auto [stop, error] = std::from_chars(text.data(), end, out);
  if (error != std::errc{} || stop != end || text[0] == '-') return false;
  if (separator != 0 && *end != separator) return false;
  text.remove_prefix(digits + (separator != 0 ? 1 : 0));
  return true;
}

/// Parses an optional fraction of a second into `nanoseconds`; returns false if it is invalid.
bool take_fraction(std::string_view& text, std::int64_t& nanoseconds) {
  nanoseconds = 0;
  if (text.empty() || text[0] != '.') return true;
  text.remove_prefix(1);
  std::int64_t unit = 1'000'000'000;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    if (unit == 1) return false;
    unit /= 10;
    nanoseconds += (text[0] - '0') * unit;
    text.remove_prefix(1);
  }
  return unit != 1'000'000'000;
}

bool take_zone(std::string_view text, std::int64_t& offset_seconds) {
  offset_seconds = 0;
  if (text == "Z") return true;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-')) return false;
  const bool west = text[0] == '-';
  text.remove_prefix(1);
  int hours = 0;
  int minutes = 0;
  if (!take(text, 2, ':', hours) || !take(text, 2, 0, minutes) || hours > 14 || minutes > 59) return false;
  offset_seconds = (hours * 60 + minutes) * (west ? -60 : 60);
  return true;
}

}  // namespace

Parsed<std::uint64_t> parse_integer(const std::string& text, std::uint64_t low, std::uint64_t high) {
  const std::string range =
      "write a whole number from " + std::to_string(low) + " to " + std::to_string(high);
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  const char* begin = text.data() + (hex ? 2 : 0);
  const char* end = text.data() + text.size();
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
  if (error == std::errc::invalid_argument || stop != end) {
    return {'"' + text + "\" is not a whole number", range};
  }
  if (error != std::errc{} || value < low || value > high) return {text + " is out of range", range};
  return value;
}

Parsed<bool> parse_bool(const std::string& text) {
  for (const char* yes : {"true", "yes", "on"}) {
    if (text == yes) return true;
  }
  for (const char* no : {"false", "no", "off"}) {
    if (text == no) return false;
  }
  return {'"' + text + "\" is neither true nor false", "write true or false"};
}

Parsed<std::int64_t> parse_wall_clock(const std::string& text) {
  const std::string bad = '"' + text + "\" is not a date and time with a zone (ISO 8601)";
  std::string_view rest = text;
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  std::int64_t nanoseconds = 0, offset = 0;
  const char separator = text.size() > 10 && text[10] == ' ' ? ' ' : 'T';
  if (!take(rest, 4, '-', year) || !take(rest, 2, '-', month) || !take(rest, 2, separator, day) ||
      !take(rest, 2, ':', hour) || !take(rest, 2, ':', minute) || !take(rest, 2, 0, second) ||
      !take_fraction(rest, nanoseconds) || !take_zone(rest, offset)) {
    return {bad, kClockFix};
  }
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok() || year < 1970 || year > 2200 || hour > 23 || minute > 59 || second > 59)
    return {bad, kClockFix};
  const std::int64_t days = std::chrono::sys_days{date}.time_since_epoch().count();
  const std::int64_t seconds = ((days * 24 + hour) * 60 + minute) * 60 + second - offset;
  return seconds * 1'000'000'000 + nanoseconds;
}

std::string format_wall_clock(std::int64_t unix_ns) {
  using namespace std::chrono;
  const sys_time<nanoseconds> time{nanoseconds{unix_ns}};
  const auto day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{time - day};
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%09dZ",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()),
                static_cast<int>(clock.subseconds().count()));
  return text.data();
}

}  // namespace softfeb::config
