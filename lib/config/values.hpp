// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "engine/traffic.hpp"
#include "roce/ip.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

/// Basic value types of a configuration. No YAML, no I/O.
namespace softfeb::config {

/// Position of a setting in its file, for messages: "conf/board.yaml:12: boards.0.qps.0.pmtu: ...".
struct Where {
  std::string file;  ///< path of the file as given by the user, or an option such as "--set"
  int line = 0;      ///< line number, from 1; 0 if the value is not in a file
  std::string key;   ///< dotted path, as in --set: boards.0.qps.0.pmtu
};

using roce::IpAddress;
using roce::MacAddress;

/// A probability in billionths. It is an integer, so that the results for a given seed do not depend on
/// floating-point arithmetic.
struct Probability {
  static constexpr std::uint32_t kOne = 1'000'000'000;
  std::uint32_t billionths = 0;

  /// The probability in units of 2^-32, rounded to nearest, as Rng::chance() expects it. Probability 1 is
  /// exactly 2^32.
  constexpr std::uint64_t parts() const { return ((std::uint64_t{billionths} << 32) + kOne / 2) / kOne; }

  auto operator<=>(const Probability&) const = default;
};

/// Rate of offered traffic. Bytes are payload bytes of first transmissions, packets are request packets,
/// messages are work requests. kPeriod gives the time between two messages instead of a rate, so that it is
/// exact even if the number of messages per second is not an integer.
struct Rate {
  using Unit = engine::RateKind;
  Unit unit = Unit::kUnlimited;  ///< kUnlimited if only link, window and worker limit the rate
  std::uint64_t per_second = 0;  ///< bytes, packets or messages per second; 0 for kUnlimited and kPeriod
  Time period = 0;               ///< for kPeriod: time between two messages, nonzero

  static Rate every(Time period) { return {Unit::kPeriod, 0, period}; }
  /// Requires kMessages or kPeriod.
  double messages_per_second() const {
    return unit == Unit::kPeriod ? 1 / to_seconds(period) : static_cast<double>(per_second);
  }

  auto operator<=>(const Rate&) const = default;
};

/// Result of parsing a value: the value, or an error message and the fix.
template <class T>
struct Parsed {
  std::optional<T> value;
  std::string message;
  std::string fix;

  Parsed(T v) : value(std::move(v)) {}  // NOLINT(google-explicit-constructor): parsers return plain values
  Parsed(std::string m, std::string f) : message(std::move(m)), fix(std::move(f)) {}

  /// Converts an error to the result type of another parser.
  template <class U>
  Parsed<U> failure() const {
    return {message, fix};
  }
};

}  // namespace softfeb::config
