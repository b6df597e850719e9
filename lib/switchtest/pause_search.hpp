// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/fill.hpp"
#include "switchtest/search.hpp"

#include <cstdint>
#include <optional>
#include <vector>

/// Finds out when the switch pauses port A.
namespace softfeb::switchtest {

/// Time after the last frame of a trial during which the switch may still send a pause.
inline constexpr Time kPauseWait = 2 * kMillisecond;

/// A class of frames for which the switch pauses the senders.
struct PausedClass {
  std::uint8_t dscp = 0;
  std::uint32_t size = 0;  ///< size of large frames, with FCS
  Capacity large;  ///< capacity of the queue for large frames from port A to port D, including headroom
};

/// Finds a class that port D can freeze, and for which the switch pauses port A when A overfills the queue.
/// Prefers the class of Settings::dscp. Returns std::nullopt if the test has ended, or if no class is paused
/// (Context::report shows which of these holds).
std::optional<PausedClass> find_paused_class(Context& ctx);

/// stops() returns true if this pause frame tells the sender of frames with this DSCP to stop. resumes()
/// returns true if the pause frame tells this sender to resume.
bool stops(const Context& ctx, const roce::MacControl& control, std::uint8_t dscp);
bool resumes(const Context& ctx, const roce::MacControl& control, std::uint8_t dscp);
/// Duration that the pause frame requests for this DSCP, in quanta.
std::uint16_t quanta_for(const Context& ctx, const roce::MacControl& control, std::uint8_t dscp);

/// Finds how many frames from port A, sent after the fills in `before`, make the switch pause A; tries at
/// most `limit` frames. Bracket::fail is this number, and Bracket::pass is a smaller number of frames that
/// did not cause a pause.
Bracket frames_until_pause(Context& ctx, const std::vector<Fill>& before, const FrameKind& frame,
                           std::uint64_t limit);
/// Finds out whether the switch pauses port A if A sends `frames` frames after the fills in `before`. Returns
/// kPass if the switch does not pause A.
Probe pauses_for(Context& ctx, const std::vector<Fill>& before, const FrameKind& frame, std::uint64_t frames);

}  // namespace softfeb::switchtest
