// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstdint>

namespace softfeb::detector {

/// A time in TAI, in the format of event headers and trigger messages.
struct EventTime {
  static constexpr std::uint32_t kQuarters = 4'000'000'000;  ///< quarter nanoseconds in a second
  static constexpr Time kQuarter = 250;                      ///< a quarter nanosecond in picoseconds

  std::uint32_t seconds = 0;
  std::uint32_t quarter_ns = 0;  ///< below kQuarters

  bool operator==(const EventTime&) const = default;
};

/// Seconds by which TAI has been ahead of UTC since 2017, for hosts whose kernel does not know the offset.
inline constexpr std::uint32_t kTaiAhead = 37;

/// Seconds by which TAI is ahead of UTC, calculated from the kernel's clocks for UTC and TAI, both read in
/// nanoseconds. Returns kTaiAhead if the kernel does not know the offset; both clocks are then equal.
constexpr std::uint32_t tai_ahead(std::uint64_t utc_ns, std::uint64_t tai_ns) {
  constexpr std::uint64_t kSecondNs = 1'000'000'000;
  const std::uint64_t seconds = tai_ns < utc_ns ? 0 : (tai_ns - utc_ns + kSecondNs / 2) / kSecondNs;
  return seconds == 0 ? kTaiAhead : static_cast<std::uint32_t>(seconds);
}

/// Converts a time in nanoseconds since 1970-01-01T00:00:00Z (without leap seconds) to TAI.
constexpr EventTime tai_of(std::uint64_t unix_ns, std::uint32_t ahead = kTaiAhead) {
  return {static_cast<std::uint32_t>(unix_ns / 1'000'000'000 + ahead),
          static_cast<std::uint32_t>(unix_ns % 1'000'000'000 * 4)};
}

/// The time `t` after `origin`, rounded down to a quarter nanosecond. The seconds wrap in the year 2106.
constexpr EventTime time_after(EventTime origin, Time t) {
  const std::uint64_t quarters = origin.quarter_ns + t / EventTime::kQuarter;
  return {static_cast<std::uint32_t>(origin.seconds + quarters / EventTime::kQuarters),
          static_cast<std::uint32_t>(quarters % EventTime::kQuarters)};
}

/// Returns the time from `origin` to `t`: 0 if `t` is earlier, kNever if the result does not fit in 64 bits
/// (213 days).
constexpr Time time_since(EventTime origin, EventTime t) {
  if (t.seconds < origin.seconds) return 0;
  constexpr std::uint64_t kMost = kNever / EventTime::kQuarter;
  const std::uint64_t end = std::uint64_t{t.seconds - origin.seconds} * EventTime::kQuarters + t.quarter_ns;
  if (end < origin.quarter_ns) return 0;
  const std::uint64_t quarters = end - origin.quarter_ns;
  return quarters > kMost ? kNever : quarters * EventTime::kQuarter;
}

}  // namespace softfeb::detector
