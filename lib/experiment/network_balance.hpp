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

/// Returns the frames that entered or left the network other than through endpoints, and the frames lost at
/// the edge of the network. Call after WorkerPool::quit().
lab::Edge edge_of(const config::LabConfig& lab, const runtime::DpdkRuntime& dpdk,
                  const runtime::WorkerPool& pool, const stats::Outcome& outcome);

/// Compares the number of packets put into the rings between endpoints and network with the number of packets
/// taken out of these rings (rings_conserved).
lab::Balance ring_balance(const config::LabConfig& lab, const runtime::DpdkRuntime& dpdk);

/// Returns messages for the user if the network's worker was late, if packets had to wait for free frames, or
/// if any worker was preempted; otherwise empty.
std::vector<std::string> lateness_lines(const config::LabConfig& lab, const stats::Outcome& outcome);

}  // namespace softfeb::experiment
