// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/switch_run.hpp"

#include <string>

namespace softfeb::test {

/// A run with tests of all kinds: many sizes, words, a test without result, all statuses of figures, all
/// outcomes of expectations, and charts.
report::SwitchRun sample_switch_run();

/// A text that breaks reports that do not escape it.
inline const std::string kHostile = "<b onload='x'>&\"\x1b[31m\xff</b>";

/// A run in which every text that may come from outside is hostile.
report::SwitchRun hostile_switch_run();

/// A run with as many figures as a whole run of all tests has, or more.
report::SwitchRun large_switch_run();

}  // namespace softfeb::test
