// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "craft.hpp"

namespace softfeb::bench {

/// The loop board → ring → receiver → acknowledgement → ring → board, with one core each for the board and
/// for the receiver, which verifies every iCRC and compares every payload byte. Uses the options of craft
/// except port and workers. Results per run: the messages posted until `duration`, over the time until the
/// last was acknowledged. "held": nothing was lost, wrong or refused.
Json bench_loop(const Environment& environment, const CraftOptions& options);

}  // namespace softfeb::bench
