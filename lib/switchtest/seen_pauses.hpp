// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

namespace softfeb::switchtest {

/// Learns from a trial which kind of pause frames the switch sends. If the switch obeys no pauses, the
/// preflight cannot fill a queue, and therefore does not find out the kind. Returns true if the kind was
/// unknown until now; the caller should then repeat the trial with ports that obey these pauses.
bool learn_pauses(Context& ctx, const TrialResult& result);

/// Number of pause frames in a trial that tell a sender to pause rather than to resume.
std::uint64_t count_pauses(const TrialResult& result);

}  // namespace softfeb::switchtest
