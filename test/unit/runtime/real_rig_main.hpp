// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "runtime/real_rig.hpp"

#include <functional>
#include <memory>

namespace softfeb::test {

/// DPDK can be started only once in a process, so all tests of a run share a rig. main() destroys it, because
/// DPDK must end before static objects do.
extern std::unique_ptr<runtime::RealRig> shared_rig;

/// Called by the rig from time to time; may be empty.
extern std::function<bool()> rig_hook;

/// Set by a test that could not check anything, because other processes took the CPUs of the rig. The program
/// then exits with meson's status for skipped tests.
extern bool rig_starved;

/// A configuration with one worker and little memory.
config::LabConfig small_configuration();

}  // namespace softfeb::test
