// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "experiment/options.hpp"

namespace softfeb::experiment {

/// Carries out `softfeb run`, or `softfeb lab` in real or virtual time: configuration, endpoints, phases,
/// checks, result, report. Returns the exit status. Throws the libraries' exceptions for what stops it before
/// traffic. A lab in real time also runs in virtual time afterwards, so that both results stand side by side.
int run_experiment(const Options& options);

}  // namespace softfeb::experiment
