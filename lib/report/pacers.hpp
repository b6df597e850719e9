// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"

#include <string>
#include <vector>

namespace softfeb::report {

/// For the print at start: what paces each board's QPs, with its parameters and the error to expect
/// (doc/pacing.md). Nothing of boards that send as fast as they can.
std::vector<std::string> pacer_lines(const config::RunConfig& config);

}  // namespace softfeb::report
