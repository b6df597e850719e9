// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/headroom_trial.hpp"

#include <cstdint>

namespace softfeb::switchtest {

/// Frames that the switch still accepts from port A after port C has taken all the memory that C can get.
struct LeftForA {
  std::uint64_t frames = 0;
  /// True if all these frames are stored in headroom. If this is false, the switch may accept fewer of them
  /// at other times.
  bool headroom = true;
};

/// Finds the longest delay with which port A may obey a pause without loss, and adds the figures
/// `tolerated_ns` and `extra_cable_m`. Returns false if too many trials were void.
bool report_tolerated_delay(Context& ctx, HeadroomTrials& trials, const LeftForA& left);

}  // namespace softfeb::switchtest
