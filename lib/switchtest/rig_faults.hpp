// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "switchtest/trial.hpp"

#include <cstdint>
#include <string>

namespace softfeb::switchtest {

/// Faults of a rig during a trial in real time. Losses in the switch are not faults of the rig.
struct RigFaults {
  /// A trial is void if a loop of the rig is interrupted for at least this time, except with
  /// Trial::counts_only.
  static constexpr Time kLongestGap = kMillisecond;

  Time loop_gap = 0;               ///< longest interruption of a loop that polls test ports
  Time network_gap = 0;            ///< longest interruption of the loop of the simulated network
  std::uint64_t refused = 0;       ///< frames that a transmit queue did not accept at once
  std::uint64_t no_buffers = 0;    ///< number of times that no buffer was available for a frame to be sent
  std::uint64_t missed = 0;        ///< frames that arrived at a port but did not reach the rig
  std::uint64_t network_lost = 0;  ///< frames that the simulation lost outside its switches
  /// Number of times that the simulation was full and could not accept frames.
  std::uint64_t network_full = 0;
};

/// Returns the reason why the times of a trial are wrong, or an empty text if they are correct. `result`
/// contains the data that the ports have collected.
std::string disturbance(const Trial& trial, const TrialResult& result, const RigFaults& faults);

/// Returns the reason why a trial is void, or an empty text if it is valid. `result` contains the data that
/// the ports have collected.
std::string void_reason(const Trial& trial, const TrialResult& result, const RigFaults& faults);

}  // namespace softfeb::switchtest
