// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/board_rates.hpp"
#include "switchtest/context.hpp"

namespace softfeb::switchtest {

/// Adds the delay and the loss of CNPs. `without`: why there is no delay if there were no CNPs.
void report_cnps(Context& ctx, const CnpFate& fate, const char* load, const char* without);

/// Sends CNPs from D to a single board at A, and measures how they pass the idle switch and when the board
/// reacts.
void measure_cnp_reaction(Context& ctx);

}  // namespace softfeb::switchtest
