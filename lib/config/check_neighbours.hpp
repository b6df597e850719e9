// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "config/section.hpp"

namespace softfeb::config {

/// A board keeps up to kMostNextHops addresses: its static neighbours and the next hops of its queue pairs.
/// Reports the first board that needs more, and the first receiver with more static neighbours.
void check_neighbours(Reading& reading, const RunConfig& config);

}  // namespace softfeb::config
