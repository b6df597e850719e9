// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace softfeb::switchtest {

/// The part of a path's delay that does not depend on the length of frames: the delays of both links, the
/// pipeline of the switch, and the delay of the rig itself.
struct PathDelay {
  Time low = 0, high = 0;  ///< picoseconds
  /// True if the switch begins to forward a frame before it has received all of it. The interval is then
  /// wider, because the length of the header for which the switch waits is unknown.
  bool cut_through = false;

  Time value() const { return low + (high - low) / 2; }
};

/// Largest error of a time, in picoseconds, after several roundings to whole picoseconds.
inline constexpr Time kTimeResolution = 10;

/// Returns the delays of a few frames from `from` at low load, in ascending order. Returns std::nullopt if no
/// trial was valid, or if no frame arrived.
std::optional<std::vector<Time>> unloaded_delays(Context& ctx, std::uint16_t from, FrameKind frame);

/// Returns the shortest of unloaded_delays().
std::optional<Time> unloaded_delay(Context& ctx, std::uint16_t from, FrameKind frame);

/// Measures the delay of the path from port `from` to port `to` at low load, with frames of two sizes and the
/// DSCP `dscp`. Returns std::nullopt if no trial was valid, or if no frame arrived.
std::optional<PathDelay> path_delay(Context& ctx, std::uint16_t from, std::uint16_t to, std::uint8_t dscp);

/// Computes the delay of a path from the delays of frames of two lengths, `small` and `large` (bytes without
/// FCS). Each delay is the time from the first bit sent to the last bit received. The rates of the ingress
/// and of the egress port are in bytes per second. This function is pure.
PathDelay path_delay_of(std::uint32_t small, Time small_delay, std::uint32_t large, Time large_delay,
                        std::uint64_t rate_in, std::uint64_t rate_out);

}  // namespace softfeb::switchtest
