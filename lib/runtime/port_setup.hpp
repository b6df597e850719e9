// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "dataplane/cpus.hpp"
#include "dataplane/eal.hpp"
#include "dataplane/port.hpp"

#include <cstdint>
#include <vector>

/// From the configuration to what the data plane is made with.
namespace softfeb::runtime {

/// Packets that may be built and not yet gone, besides those in descriptors: the far end of a ring, retries.
inline constexpr std::uint32_t kHeldPackets = 2048;

/// The main lcore, then one for each worker, on the NUMA node of its ports where the CPUs are left to us.
std::vector<dataplane::LcoreSpec> place_lcores(const config::RunConfig& config);

/// Which CPU polls which port, for far_ports().
std::vector<dataplane::WorkerRow> worker_rows(const config::RunConfig& config,
                                              const std::vector<dataplane::LcoreSpec>& lcores);

/// The NUMA node that all ports with one are on, -1 when there is none.
int ports_node(const config::RunConfig& config);

dataplane::EalConfig eal_settings(const config::RunConfig& config,
                                  const std::vector<dataplane::LcoreSpec>& lcores);

/// Workers with an endpoint on this port, ascending; worker 0 where there is none.
std::vector<unsigned> workers_on(const config::RunConfig& config, std::size_t port);

/// Queues of a port: one for each of its workers; both ends of a ring have as many as the busier one.
std::uint16_t queues_of(const config::RunConfig& config, std::size_t port);

/// MTU that the QPs of this port's boards and receivers need.
std::uint32_t needed_mtu(const config::RunConfig& config, std::size_t port);

/// With `queue_rate`: of each worker's queue, the sum of the link rates of its boards (0: none, no limit).
dataplane::PacingConfig pacing_settings(const config::RunConfig& config, std::size_t port);

dataplane::PortConfig port_settings(const config::RunConfig& config, std::size_t port);

}  // namespace softfeb::runtime
