// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstdint>

namespace softfeb::dcqcn {

/// Number of a rising edge of the firmware's clock. Edge n is at n · 6.4 ns; "after edge n" is what registers
/// show from then until edge n + 1.
using Edge = std::uint64_t;

/// No such edge: later than every one.
inline constexpr Edge kNoEdge = UINT64_MAX;

/// The edge that samples what happens at `t`: the first one not before it.
constexpr Edge edge_from(Time t) { return t / kFirmwareClock + (t % kFirmwareClock != 0 ? 1 : 0); }

/// The edge after which registers show what they show at `t`.
constexpr Edge edge_until(Time t) { return t / kFirmwareClock; }

constexpr Time time_of(Edge n) { return n > kNever / kFirmwareClock ? kNever : n * kFirmwareClock; }

}  // namespace softfeb::dcqcn
