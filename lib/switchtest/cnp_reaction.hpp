// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/board_rates.hpp"
#include "switchtest/context.hpp"

namespace softfeb::switchtest {

/// Adds the delay and the loss of CNPs under the load named `load`. If there were no CNPs, reports `without`
/// as the reason.
void report_cnps(Context& ctx, const CnpFate& fate, const char* load, const char* without);

/// Sends CNPs from port D to a single board at port A. Measures the delay and loss of CNPs in the idle
/// switch, and the time until the board reacts.
void measure_cnp_reaction(Context& ctx);

}  // namespace softfeb::switchtest
