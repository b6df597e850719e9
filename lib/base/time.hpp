// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace softfeb {

/// Time in picoseconds since an origin of the caller's choice (64 bits last 213 days).
/// A clock of the firmware, 6.4 ns, is the whole number 6400, so nothing derived from it drifts.
using Time = std::uint64_t;

/// "No such moment": greater than every time.
inline constexpr Time kNever = UINT64_MAX;

inline constexpr Time kNanosecond = 1'000;
inline constexpr Time kMicrosecond = 1'000 * kNanosecond;
inline constexpr Time kMillisecond = 1'000 * kMicrosecond;
inline constexpr Time kSecond = 1'000 * kMillisecond;

/// One clock of the board's firmware (156.25 MHz).
inline constexpr Time kFirmwareClock = 6'400;

constexpr double to_seconds(Time t) { return static_cast<double>(t) * 1e-12; }

/// Sum that stays at kNever instead of wrapping.
constexpr Time saturating_add(Time a, Time b) { return a > kNever - b ? kNever : a + b; }

}  // namespace softfeb
