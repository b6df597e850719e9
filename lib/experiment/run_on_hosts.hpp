// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "experiment/run_experiment.hpp"
#include "hosts/host_exchange.hpp"
#include "simulator/exchange.hpp"

namespace softfeb::experiment {

/// Carries out the part of this process in a run on several hosts. Process 0 writes the results and returns
/// the exit status. Throws EnsembleFailure if a process cannot start.
int run_on_hosts(const Options& options, simulator::Exchange& exchange, hosts::HostExchange& hosts);

}  // namespace softfeb::experiment
