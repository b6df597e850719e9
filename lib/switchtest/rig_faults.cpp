// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/rig_faults.hpp"

namespace softfeb::switchtest {

namespace {

std::string microseconds(Time time) { return std::to_string(time / kMicrosecond) + " us"; }

std::string frames(std::uint64_t n) { return std::to_string(n) + (n == 1 ? " frame" : " frames"); }

std::string gap_reason(const RigFaults& faults) {
  if (faults.loop_gap >= RigFaults::kLongestGap)
    return "a loop that polls the test ports was not run for " + microseconds(faults.loop_gap);
  if (faults.network_gap >= RigFaults::kLongestGap)
    return "the simulated network was not run for " + microseconds(faults.network_gap);
  return {};
}

/// Returns the reason why the rig's counters make a trial void; empty if they do not.
std::string counter_reason(const RigFaults& faults) {
  if (faults.no_buffers != 0) return "there were no buffers for frames to be sent";
  if (faults.network_full != 0) return "the simulated network was full and could take no more frames";
  if (faults.refused != 0) return "a transmit queue did not take " + frames(faults.refused) + " at once";
  if (faults.missed != 0) return "a receiver of the rig missed " + frames(faults.missed);
  if (faults.network_lost != 0)
    return "the simulation lost " + frames(faults.network_lost) + " outside its switches";
  return {};
}

}  // namespace

std::string disturbance(const Trial& trial, const TrialResult& result, const RigFaults& faults) {
  // Report the cause before its consequences: if a loop was interrupted, frames also leave late.
  if (const std::string gap = gap_reason(faults); !gap.empty()) return gap;
  if (result.late_max > trial.lateness)
    return "a frame left " + microseconds(result.late_max) + " after its schedule";
  return {};
}

std::string void_reason(const Trial& trial, const TrialResult& result, const RigFaults& faults) {
  if (const std::string gap = gap_reason(faults); !gap.empty() && !trial.counts_only) return gap;
  if (const std::string counters = counter_reason(faults); !counters.empty()) return counters;
  if (!result.void_reason.empty() || trial.counts_only) return result.void_reason;
  return disturbance(trial, result, faults);
}

}  // namespace softfeb::switchtest
