// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "lab/conservation.hpp"
#include "runtime/dpdk_runtime.hpp"
#include "runtime/worker_pool.hpp"
#include "stats/outcome.hpp"

#include <string>
#include <vector>

/// Compares the packet counts of endpoints, rings, ports and the network, for a simulated network in real
/// time.
namespace softfeb::experiment {

/// Returns the numbers of frames that entered or left the network other than through endpoints of this
/// process, and of frames lost at the edge of the network. Call after WorkerPool::quit().
lab::Edge edge_of(const config::LabConfig& lab, const runtime::DpdkRuntime& dpdk,
                  const runtime::WorkerPool& pool, const stats::Outcome& outcome);

/// Compares the number of packets put into the rings between endpoints and network with the number of packets
/// taken out of these rings (rings_conserved).
lab::Balance ring_balance(const config::LabConfig& lab, const runtime::DpdkRuntime& dpdk);

/// Returns a message for the user if the network's worker was late, if packets had to wait for free frames,
/// and for each worker that was preempted. The result is empty if there is nothing to report.
std::vector<std::string> lateness_lines(const config::LabConfig& lab, const stats::Outcome& outcome);

}  // namespace softfeb::experiment
