// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

namespace softfeb::switchtest {

/// Finds the load above which the switch itself sends CNPs. Port A sends RC frames at 50 to 100 % of the rate
/// of port D, and D sends no CNPs. Adds figures of this load and of the interval between CNPs.
void find_forged_cnps(Context& ctx);

}  // namespace softfeb::switchtest
