// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace softfeb {

/// Time in picoseconds since an origin chosen by the caller; 64 bits cover 213 days. The firmware's clock
/// period of 6.4 ns is a whole number of picoseconds (6400), so times derived from it do not drift.
using Time = std::uint64_t;

/// "Never": later than every other time.
inline constexpr Time kNever = UINT64_MAX;

inline constexpr Time kNanosecond = 1'000;
inline constexpr Time kMicrosecond = 1'000 * kNanosecond;
inline constexpr Time kMillisecond = 1'000 * kMicrosecond;
inline constexpr Time kSecond = 1'000 * kMillisecond;

/// One clock period of the board's firmware (156.25 MHz).
inline constexpr Time kFirmwareClock = 6'400;

constexpr double to_seconds(Time t) { return static_cast<double>(t) * 1e-12; }

/// Sum that saturates at kNever instead of wrapping.
constexpr Time saturating_add(Time a, Time b) { return a > kNever - b ? kNever : a + b; }

}  // namespace softfeb
