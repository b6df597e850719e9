// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/switch_run.hpp"

#include <string>

namespace softfeb::report {

/// A measured switch as a configuration: `network` with one switch and the links of the rig ports, and
/// `switch_test`, which measures it again in virtual time. Each key has its interval and its test as a
/// comment; keys that are not known are comments with the reason. Uses SwitchRun::config for `switch_test`.
/// Throws std::logic_error if the loader does not accept the text, which is a defect of this function.
std::string switch_as_lab(const SwitchRun& run);

}  // namespace softfeb::report
