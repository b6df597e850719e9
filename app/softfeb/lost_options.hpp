// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "doctor.hpp"
#include "lab.hpp"
#include "run.hpp"

/// Options that a command has, and that would do nothing with the others given: refused, not passed over.
/// Each throws ConfigError, which names the option and the fix. What the configuration says is not judged
/// here: one file serves runs of several kinds.
namespace softfeb::app {

void refuse_lost(const RunOptions& options);
void refuse_lost(const LabOptions& options);
void refuse_lost(const DoctorOptions& options);

/// For runs that have a page or none: --hold keeps the page, if there is one.
void refuse_hold_of_nothing(bool hold, bool page);

}  // namespace softfeb::app
