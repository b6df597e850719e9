// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "switchtest/trial.hpp"

#include <cstdint>
#include <string>

namespace softfeb::switchtest {

/// What went wrong in a rig in real time during a trial. Losses of the switch are not included.
struct RigFaults {
  /// A loop that is not run for longer than this makes a trial void.
  static constexpr Time kLongestGap = kMillisecond;

  Time loop_gap = 0;               ///< longest time for which a loop that polls test ports was not run
  Time network_gap = 0;            ///< the same for the loop of the simulated network
  std::uint64_t refused = 0;       ///< frames that a transmit queue did not take at once
  std::uint64_t no_buffers = 0;    ///< times that there was no buffer for a frame to be sent
  std::uint64_t missed = 0;        ///< frames that arrived at a port but did not reach the rig
  std::uint64_t network_lost = 0;  ///< frames that the simulation lost outside its switches
  std::uint64_t network_full = 0;  ///< times that the simulation could not take frames, because it was full
};

/// Why the times of a trial are wrong, in words; empty if they are not. `result` contains what the ports have
/// collected.
std::string disturbance(const Trial& trial, const TrialResult& result, const RigFaults& faults);

/// Why a trial is void, in words; empty if it is not. `result` contains what the ports have collected.
std::string void_reason(const Trial& trial, const TrialResult& result, const RigFaults& faults);

}  // namespace softfeb::switchtest
