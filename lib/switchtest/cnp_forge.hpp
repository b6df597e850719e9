// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

namespace softfeb::switchtest {

/// Finds the load above which the switch itself sends CNPs. A sends RC frames at 50 to 100 % of D's rate, and
/// D sends no CNPs. Adds the figures of this load and of the interval between CNPs.
void find_forged_cnps(Context& ctx);

}  // namespace softfeb::switchtest
