// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/switch_run.hpp"

#include <string>

namespace softfeb::report {

/// Writes a measured switch as a configuration. The configuration contains `network` with one switch and the
/// links of the rig ports, and `switch_test` (from SwitchRun::config), which measures this switch again in
/// virtual time. The comment of each key names its interval and its test; keys with unknown values are
/// comments with the reason. Throws std::logic_error if the loader does not accept the text, which would be a
/// defect of this function.
std::string switch_as_lab(const SwitchRun& run);

}  // namespace softfeb::report
