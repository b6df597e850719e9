// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "experiment/options.hpp"

namespace softfeb::experiment {

/// File of a parameter study in the folder of `--report`.
inline constexpr const char* kReportSweep = "sweep.csv";

/// `softfeb lab sweep`: the topology in virtual time at every point of the grid that `lab.sweep` spans, as
/// many at once as there are CPUs. Returns the exit status; throws the libraries' exceptions for what stops
/// it before the first run.
int run_sweep(const Options& options);

}  // namespace softfeb::experiment
