// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

#include <cstdint>

/// Boards that send RC WRITEs to port D, for trials of congestion control.
namespace softfeb::switchtest {

/// Returns a frame of `with_fcs` bytes from a board that sends to port D. `number` must be different for each
/// board of a trial.
FrameKind board_frame(const Context& ctx, std::uint16_t number, std::uint32_t with_fcs);

/// Adds a board with DCQCN at `port`. The board sends from `start` to `end`, at `line_rate` (bytes per second
/// on the wire) until CNPs arrive, and then at the rate that DCQCN sets. Returns the kind of its frames.
std::uint16_t add_board(Context& ctx, Trial& trial, std::uint16_t port, std::uint64_t line_rate, Time start,
                        Time end);

}  // namespace softfeb::switchtest
