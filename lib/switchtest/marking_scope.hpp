// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/marking_result.hpp"
#include "switchtest/marking_stimulus.hpp"

#include <cstdint>

namespace softfeb::switchtest {

/// Finds out whether the length of the own queue or that of all queues of port D determines the marking, by
/// trains beside a queue of about `full` frames. Requires a fit that is not averaged; sets
/// MarkingResult::scope or no_scope.
void find_marking_scope(Context& ctx, MarkingStimulus& stimulus, std::uint64_t full, MarkingResult& result);

}  // namespace softfeb::switchtest
