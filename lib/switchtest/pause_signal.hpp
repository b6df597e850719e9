// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

#include <cstdint>

namespace softfeb::switchtest {

/// Keeps the queue of `frame` full up to XOFF: port A sends `frames` frames, of which the last one reaches
/// XOFF. Adds figures about the switch's pause frames: their duration (quanta), the interval at which the
/// switch repeats them, their classes, and the time from the last bit of the frame that reaches XOFF to the
/// first bit of the first pause frame. Returns false if too many trials were void.
bool report_pause_signal(Context& ctx, const FrameKind& frame, std::uint64_t frames);

}  // namespace softfeb::switchtest
