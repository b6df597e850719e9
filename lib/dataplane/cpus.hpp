// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/eal.hpp"
#include "dataplane/numa.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace softfeb::dataplane {

/// CPUs this process may run on, in ascending order.
std::vector<unsigned> usable_cpus();

/// Places the lcores of `workers` workers and the control thread. The control thread is main lcore 0 on the
/// first usable CPU. Worker i is lcore i + 1. It gets a CPU from `asked` in round-robin order. If `asked` is
/// empty, it gets an unused CPU, preferably one on NUMA node nodes[i] according to `node_of`. If nodes[i] is
/// -1 or absent, no node is preferred. If there are fewer CPUs than threads, workers share CPUs; the caller
/// should then not let idle workers spin. Throws RequestError for a CPU in `asked` that is not in `usable`.
std::vector<LcoreSpec> place_lcores(unsigned workers, const std::vector<unsigned>& asked,
                                    const std::vector<unsigned>& usable, const std::vector<int>& nodes = {},
                                    int (*node_of)(unsigned cpu) = cpu_socket);

/// True when two lcores share a CPU.
bool shares_cpus(const std::vector<LcoreSpec>& lcores);

/// The queues that one worker polls; a row of the map printed at start-up.
struct WorkerRow {
  unsigned lcore = 0;
  unsigned cpu = 0;
  struct Queue {
    std::string port;
    std::uint16_t queue = 0;
    int socket = -1;
  };
  std::vector<Queue> queues;
  std::string boards;  ///< names of the boards, for display
};

/// Formats the map, one line per worker. Marks queues whose NUMA node is not that of their worker's CPU.
std::string worker_map(const std::vector<WorkerRow>& rows);

/// A port whose NUMA node differs from that of the CPU that polls the port, with a message for the user that
/// describes the problem, and one that describes the fix.
struct FarPort {
  std::string port;
  std::string found;
  std::string fix;
};
std::vector<FarPort> far_ports(const std::vector<WorkerRow>& rows, int (*node_of)(unsigned cpu) = cpu_socket);

}  // namespace softfeb::dataplane
