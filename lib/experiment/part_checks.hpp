// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"

namespace softfeb::experiment {

/// Throws ConfigError if the configuration uses something that a network in several parts does not support:
/// what endpoints of different parts would share without frames between them, and results that other
/// processes cannot pass on.
void check_parts(const config::LabConfig& config);

}  // namespace softfeb::experiment
