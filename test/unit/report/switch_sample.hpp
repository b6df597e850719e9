// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/switch_run.hpp"

#include <string>

namespace softfeb::test {

/// Returns a run with tests of all kinds. It contains figures for many sizes, figures that are words, a test
/// without a result, all statuses of figures, all outcomes of expectations, and charts.
report::SwitchRun sample_switch_run();

/// A text that breaks a report in which it is not escaped.
inline const std::string kHostile = "<b onload='x'>&\"\x1b[31m\xff</b>";

/// Returns a run in which every text that could come from outside is kHostile.
report::SwitchRun hostile_switch_run();

/// Returns a run with at least as many figures as a run of all tests has.
report::SwitchRun large_switch_run();

}  // namespace softfeb::test
