// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

namespace softfeb::switchtest {

/// Finds the load at which the switch itself sends CNPs: D sends none, while RC frames come from A at 50 to
/// 100 % of D's rate. Adds the figures of the load and of the interval between CNPs.
void find_forged_cnps(Context& ctx);

}  // namespace softfeb::switchtest
