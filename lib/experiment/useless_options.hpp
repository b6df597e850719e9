// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "experiment/lab.hpp"
#include "experiment/run.hpp"

/// Rejects options that have no effect together with the others, instead of ignoring them. Each function
/// throws ConfigError, which names the option and the fix. Configuration files are not checked for this,
/// because one file serves several kinds of run.
namespace softfeb::experiment {

void refuse_useless(const RunOptions& options);
void refuse_useless(const LabOptions& options);

/// --hold needs a live page.
void refuse_useless_hold(bool hold, bool page);

}  // namespace softfeb::experiment
