// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "config/values.hpp"

#include <cstdint>
#include <limits>
#include <string>

/// Numbers with units. Decimals are parsed as integers and scaled exactly: a value that is not a multiple of
/// the base unit (1 ps, 1 B, 1 B/s) is rejected, not rounded. A space before the unit is allowed; exponents
/// and signs are not.
namespace softfeb::config {

/// Parses a time: 55us, 4ns, 1.5ms, 10s, 2min, 1h; 0 needs no unit.
Parsed<Time> parse_time(const std::string& text);

/// Parses a size: 64KiB, 1MiB, 1500B, 1GB (kB, MB, GB are powers of 1000); 0 needs no unit.
Parsed<std::uint64_t> parse_size(const std::string& text);

/// Parse a time or a size that must be between `low` and `high`. `what` names the value in the error message,
/// for example "the size of a slot".
Parsed<Time> parse_time_in(const std::string& text, Time low, Time high, const char* what);
Parsed<std::uint64_t> parse_size_in(const std::string& text, std::uint64_t low, std::uint64_t high,
                                    const char* what);

/// Parses a nonzero rate: max; 10Gb/s, 400Mb/s, 1.25GB/s (payload); 300kpps, 1Mpps (packets); 1000msg/s
/// (messages).
Parsed<Rate> parse_rate(const std::string& text);

/// Parses a nonzero bandwidth (10Gb/s, 1.25GB/s) to bytes per second.
Parsed<std::uint64_t> parse_bandwidth(const std::string& text);

/// Parses a probability, 1% or 0.01, of at most 100%. Whole numbers above 0 without % are rejected as
/// ambiguous.
Parsed<Probability> parse_probability(const std::string& text);

/// Parses an integer from `low` to `high`, in decimal or with 0x in hexadecimal.
Parsed<std::uint64_t> parse_integer(const std::string& text, std::uint64_t low, std::uint64_t high);

/// Parses 2026-05-04T12:00:00[.5]Z, or the same with an offset such as +02:00, to nanoseconds since 1970.
Parsed<std::int64_t> parse_wall_clock(const std::string& text);

/// Parses "true", "yes" and "on" as true, and "false", "no" and "off" as false.
Parsed<bool> parse_bool(const std::string& text);

/// The format functions return a text that parses to the same value. The only exception is format_rate() with
/// a rate of kind kPeriod, because a configuration file gives the period itself instead of a rate.
std::string format_time(Time time);
std::string format_size(std::uint64_t bytes);
std::string format_bandwidth(std::uint64_t bytes_per_second);
std::string format_rate(const Rate& rate);
std::string format_probability(Probability probability);
std::string format_wall_clock(std::int64_t unix_ns);

}  // namespace softfeb::config
