// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/headroom_trial.hpp"

#include <cstdint>

namespace softfeb::switchtest {

/// What the switch takes from A when C has taken what it can.
struct LeftForA {
  std::uint64_t frames = 0;
  bool headroom = true;  ///< false: at least a part of it is other memory, which may be less at other times
};

/// Finds the longest delay after which A may obey a pause without a loss, and adds `tolerated_ns` and
/// `extra_cable_m`. Returns false if too many trials were void.
bool report_tolerated_delay(Context& ctx, HeadroomTrials& trials, const LeftForA& left);

}  // namespace softfeb::switchtest
