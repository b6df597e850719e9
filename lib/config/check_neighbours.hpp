// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "config/section.hpp"

namespace softfeb::config {

/// A board keeps kMostNextHops addresses: its static neighbours, and the next hops of its queue pairs. A
/// problem at the first of the configuration's boards that needs more, and at receivers with more static
/// neighbours.
void check_neighbours(Reading& reading, const RunConfig& config);

}  // namespace softfeb::config
