// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "experiment/run_experiment.hpp"
#include "simulator/exchange.hpp"

namespace softfeb::experiment {

/// Simulates a lab in virtual time in parts, together with the other processes of the exchange. Process 0
/// writes the results and returns the exit status; the others return 0. Throws EnsembleFailure if a process
/// cannot start.
int run_in_parts(const Options& options, simulator::Exchange& exchange);

}  // namespace softfeb::experiment
