// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "config/section.hpp"

namespace softfeb::config {

/// Reports invalid slow control settings of boards.
void check_controls(Reading& reading, const RunConfig& config);

}  // namespace softfeb::config
