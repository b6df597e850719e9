// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "lab/conservation.hpp"
#include "runtime/dpdk_runtime.hpp"
#include "runtime/worker_pool.hpp"
#include "stats/outcome.hpp"

#include <string>
#include <vector>

/// Where packets of a network in real time have been, counted by everybody who had them.
namespace softfeb::experiment {

/// What passes between stations and network beside the endpoints' own frames. After WorkerPool::quit().
lab::Edge edge_of(const config::LabConfig& lab, const runtime::DpdkRuntime& dpdk,
                  const runtime::WorkerPool& pool, const stats::Outcome& outcome);

/// What was put into the rings between endpoints and network, and what was taken out (rings_conserved).
lab::Balance ring_balance(const config::LabConfig& lab, const runtime::DpdkRuntime& dpdk);

/// Lines for people when the network's worker, or a board's, fell behind; empty when all kept up.
std::vector<std::string> lateness_lines(const config::LabConfig& lab, const stats::Outcome& outcome);

}  // namespace softfeb::experiment
