// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "craft.hpp"

namespace softfeb::bench {

/// Board → ring → receiver → acknowledgement → ring → board, one core for the board and one for the receiver,
/// which verifies every iCRC and compares every payload byte. `options` of craft; those of port and workers
/// mean nothing. Figures of each run: what was asked for until `duration` had passed, over the time until the
/// last of it was acknowledged. "held": nothing was lost, wrong or refused.
Json bench_loop(const Environment& environment, const CraftOptions& options);

}  // namespace softfeb::bench
