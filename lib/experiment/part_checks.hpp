// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"

namespace softfeb::experiment {

/// Throws ConfigError if the configuration uses a feature that a network in several parts does not support:
/// state that endpoints in different parts would share without exchanging frames, or results that other
/// processes cannot pass on.
void check_parts(const config::LabConfig& config);

}  // namespace softfeb::experiment
