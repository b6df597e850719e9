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
  Time low = 0, high = 0;    ///< picoseconds
  bool cut_through = false;  ///< the switch forwards before a frame is complete; its header then widens this

  Time value() const { return low + (high - low) / 2; }
};

/// Accuracy of times: rounding to picoseconds, several times.
inline constexpr Time kTimeResolution = 10;

/// Delays of a few frames from `from` at low load, in ascending order. nullopt: no trial was valid, or none
/// arrived.
std::optional<std::vector<Time>> unloaded_delays(Context& ctx, std::uint16_t from, FrameKind frame);

/// The shortest of them.
std::optional<Time> unloaded_delay(Context& ctx, std::uint16_t from, FrameKind frame);

/// Measures the path between two ports with unloaded frames of two sizes. nullopt: no trial was valid, or no
/// frame arrived.
std::optional<PathDelay> path_delay(Context& ctx, std::uint16_t from, std::uint16_t to, std::uint8_t dscp);

/// The same from the delays of frames of two lengths (bytes without FCS), from first bit to last bit. Pure.
PathDelay path_delay_of(std::uint32_t small, Time small_delay, std::uint32_t large, Time large_delay,
                        std::uint64_t rate_in, std::uint64_t rate_out);

}  // namespace softfeb::switchtest
