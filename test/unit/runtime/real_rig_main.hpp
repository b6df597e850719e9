// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "runtime/real_rig.hpp"

#include <functional>
#include <memory>

namespace softfeb::test {

/// DPDK can be started only once in a process, so all tests of a run share a rig. main() destroys it, because
/// DPDK must end before static objects do.
extern std::unique_ptr<runtime::RealRig> shared_rig;

/// The rig calls this function from time to time, unless it is empty. If it returns true, the trial is
/// interrupted.
extern std::function<bool()> rig_hook;

/// A test sets this flag if it could not check anything, because other processes took the CPUs of the rig.
/// The program then exits with the status by which meson recognizes skipped tests.
extern bool rig_starved;

/// Returns a configuration with one worker and little memory.
config::LabConfig small_configuration();

}  // namespace softfeb::test
