// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "config/section.hpp"

namespace softfeb::config {

/// What cannot work about the boards' slow control.
void check_controls(Reading& reading, const RunConfig& config);

}  // namespace softfeb::config
