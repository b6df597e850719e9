// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer: parses arbitrary text as each kind of value in configurations and on command lines. A value that
// is accepted must be formatted as text that parses to the same value; a text that is refused must have a
// reason and a fix.
#include "base/cdf.hpp"
#include "config/error.hpp"
#include "config/fault_notation.hpp"
#include "config/length_distribution.hpp"
#include "config/units.hpp"
#include "input.hpp"
#include "roce/ip.hpp"

#include <string>

using namespace softfeb;
using namespace softfeb::config;
using fuzz::require;

namespace {

/// Checks that a formatted value is parsed to the same value again.
template <class Parse, class Format>
void round_trip(const std::string& text, Parse parse, Format format) {
  const auto parsed = parse(text);
  if (!parsed.value) return require(!parsed.message.empty() && !parsed.fix.empty());
  const std::string formatted = format(*parsed.value);
  const auto again = parse(formatted);
  require(again.value.has_value() && format(*again.value) == formatted);
}

void check_units(const std::string& text) {
  round_trip(text, parse_time, format_time);
  round_trip(text, parse_size, format_size);
  round_trip(text, parse_rate, format_rate);
  round_trip(text, parse_bandwidth, format_bandwidth);
  round_trip(text, parse_probability, format_probability);
  round_trip(text, parse_wall_clock, format_wall_clock);
  const auto time = parse_time(text);
  require(!time.value || *parse_time(format_time(*time.value)).value == *time.value);
  const auto number = parse_integer(text, 3, 77);
  require(!number.value || (*number.value >= 3 && *number.value <= 77));
  static_cast<void>(parse_bool(text));
}

void check_faults(const std::string& text) {
  round_trip(text, parse_fault_qp, format_fault_qp);
  round_trip(text, parse_psns, format_psns);
  round_trip(text, parse_positions, format_positions);
  round_trip(text, parse_corrupt_place, format_corrupt_place);
}

void check_addresses(const std::string& text) {
  const auto ip = roce::IpAddress::parse(text);
  require(!ip || roce::IpAddress::parse(ip->to_string()) == ip);
  static_cast<void>(roce::parse_mac(text));
}

/// Checks a distribution of message lengths, in the format of the files of published workloads.
void check_distribution(const std::string& text) {
  try {
    const Cdf cdf = parse_length_distribution(text, "fuzz.cdf");
    require(cdf.at(0) <= cdf.at(1) && cdf.mean() >= 0);
  } catch (const ConfigError& error) {
    require(!error.problems().empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_units(text);
  check_faults(text);
  check_addresses(text);
  check_distribution(text);
  return 0;
}
