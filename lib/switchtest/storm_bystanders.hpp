// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

namespace softfeb::switchtest {

/// Measures what a storm does to others: A sends 10 % each in the paused class to D, in another class to D,
/// and to E, during a storm of the time `storm`. Adds the figures bystander_loss and pauses_passed_on. After
/// the storm, the switch rests for `rest`. Requires that StormTrials::can_pause(). Returns false if the rig
/// failed.
bool measure_bystanders(Context& ctx, Time storm, Time rest);

}  // namespace softfeb::switchtest
