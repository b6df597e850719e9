// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/context.hpp"

namespace softfeb::switchtest {

/// Measures how a pause storm affects other traffic. During a storm of the duration `storm`, port A sends
/// three streams at 10 % load each: in the paused class to port D, in another class to port D, and to port E.
/// Adds the figures bystander_loss and pauses_passed_on. After the storm, the switch rests for `rest`.
/// Requires StormTrials::can_pause(). Returns false if the rig failed.
bool measure_bystanders(Context& ctx, Time storm, Time rest);

}  // namespace softfeb::switchtest
