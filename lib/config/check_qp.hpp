// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "config/section.hpp"

namespace softfeb::config {

/// Reports invalid settings of the QPs of `board`.
void check_qps(Reading& reading, const RunConfig& config, const BoardConfig& board);

}  // namespace softfeb::config
