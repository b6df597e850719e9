// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/fill.hpp"
#include "switchtest/search.hpp"

#include <cstdint>
#include <optional>
#include <vector>

/// When the switch pauses port A.
namespace softfeb::switchtest {

/// Time after the last frame of a trial in which the switch may still decide to pause.
inline constexpr Time kPauseWait = 2 * kMillisecond;

/// A class of frames whose senders the switch pauses.
struct PausedClass {
  std::uint8_t dscp = 0;
  std::uint32_t size = 0;  ///< with FCS, of large frames
  Capacity large;          ///< of the queue, for large frames from A to D, with headroom
};

/// Finds a class that D can freeze and that the switch pauses when A overfills its queue; that of the
/// settings if possible. nullopt: the test has ended, or no class is paused (Context::report says which).
std::optional<PausedClass> find_paused_class(Context& ctx);

/// True if this pause frame tells a sender of frames with this DSCP to stop, or to resume.
bool stops(const Context& ctx, const roce::MacControl& control, std::uint8_t dscp);
bool resumes(const Context& ctx, const roce::MacControl& control, std::uint8_t dscp);
/// Duration that the pause frame requests for this DSCP, in quanta.
std::uint16_t quanta_for(const Context& ctx, const roce::MacControl& control, std::uint8_t dscp);

/// Finds the number of frames from A for which the switch pauses A, up to `limit`, after the fills in
/// `before`. Bracket::fail is the number; Bracket::pass did not cause a pause.
Bracket frames_until_pause(Context& ctx, const std::vector<Fill>& before, const FrameKind& frame,
                           std::uint64_t limit);
/// Whether the switch pauses A for so many frames. kPass: it does not.
Probe pauses_for(Context& ctx, const std::vector<Fill>& before, const FrameKind& frame, std::uint64_t frames);

}  // namespace softfeb::switchtest
