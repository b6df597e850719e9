// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/marking_result.hpp"
#include "switchtest/marking_stimulus.hpp"

#include <cstdint>

namespace softfeb::switchtest {

/// Finds out whether marking depends on the length of the frame's own queue or on the total length of all
/// queues of port D. Sends trains while another queue holds about `full` frames. Requires that
/// MarkingResult::fit exists, and that MarkingResult::averaged is false. Sets MarkingResult::scope or
/// MarkingResult::no_scope.
void find_marking_scope(Context& ctx, MarkingStimulus& stimulus, std::uint64_t full, MarkingResult& result);

}  // namespace softfeb::switchtest
