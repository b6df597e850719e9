// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

namespace softfeb::switchtest {

/// Learns from a trial which pause frames the switch sends, if the preflight could not find out: it cannot
/// fill a queue of a switch that obeys no pauses. Returns true if they were unknown until now, so that the
/// trial should be repeated with ports that obey them.
bool learn_pauses(Context& ctx, const TrialResult& result);

/// Number of pause frames in a trial that pause a sender, rather than resume it.
std::uint64_t count_pauses(const TrialResult& result);

}  // namespace softfeb::switchtest
