// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

namespace softfeb::switchtest {

/// Finds out which pause frames the switch obeys at port D, which it sends to A, and which PFC priority stops
/// which DSCP. Runs before all tests.
void run_preflight(Context& ctx);

}  // namespace softfeb::switchtest
