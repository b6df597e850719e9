// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "dataplane/cpus.hpp"
#include "dataplane/eal.hpp"
#include "dataplane/port.hpp"

#include <cstdint>
#include <vector>

/// Translates the configuration into settings of the data plane.
namespace softfeb::runtime {

/// Maximum number of packets in use that are not in descriptors: at the far end of a ring, or waiting for a
/// retry.
inline constexpr std::uint32_t kHeldPackets = 2048;

/// Returns the main lcore, then one lcore per worker. Workers are preferably placed on the common NUMA node
/// of their ports, unless the configuration assigns CPUs. Throws ConfigError for a CPU that is not available.
std::vector<dataplane::LcoreSpec> place_lcores(const config::RunConfig& config);

/// Lists the CPU of each worker and the ports that it polls, for far_ports().
std::vector<dataplane::WorkerRow> worker_rows(const config::RunConfig& config,
                                              const std::vector<dataplane::LcoreSpec>& lcores);

/// Returns the common NUMA node of all ports that have a NUMA node; -1 if there is none.
int ports_node(const config::RunConfig& config);

dataplane::EalConfig eal_settings(const config::RunConfig& config,
                                  const std::vector<dataplane::LcoreSpec>& lcores);

/// Returns the workers with an endpoint on this port, ascending; only worker 0 if there are none.
std::vector<unsigned> workers_on(const config::RunConfig& config, std::size_t port);

/// Returns the number of queues of a port: one for each of its workers. If the two ends of a ring need
/// different numbers of queues, both have the larger number.
std::uint16_t queues_of(const config::RunConfig& config, std::size_t port);

/// True if packets refer to their payload instead of containing a copy. This requires a device that supports
/// chains of mbufs, and a configuration (`tx_segments`) that allows them. Packets cannot refer to their
/// payload if a board at the port sends event data, because the memory of event data is used again for later
/// events.
bool attaches_payload(const config::RunConfig& config, std::size_t port,
                      const dataplane::Capabilities& capabilities);

/// Returns the MTU that the configured QPs of this port's boards and receivers need; 0 if there are none.
std::uint32_t needed_mtu(const config::RunConfig& config, std::size_t port);

/// Returns the pacing of a port. With `queue_rate`, each worker has a queue, whose rate is the sum of the
/// link rates of that worker's boards on the port. A rate of 0 means unlimited.
dataplane::PacingConfig pacing_settings(const config::RunConfig& config, std::size_t port);

dataplane::PortConfig port_settings(const config::RunConfig& config, std::size_t port);

}  // namespace softfeb::runtime
