// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/eal.hpp"
#include "dataplane/numa.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace softfeb::dataplane {

/// CPUs this process may run on, ascending.
std::vector<unsigned> usable_cpus();

/// Lcores for `workers` workers and the control thread: the main lcore (0) on the first CPU, workers 1, 2, …
/// on the CPUs asked for, or on those left, spread: each, where there is one left, on the NUMA node that
/// `nodes` gives for it (-1, or none given: any), as `node_of` knows the CPUs. With fewer CPUs than threads
/// some share (then the idle policy should not spin). Throws RequestError for a CPU that is not in `usable`.
std::vector<LcoreSpec> place_lcores(unsigned workers, const std::vector<unsigned>& asked,
                                    const std::vector<unsigned>& usable, const std::vector<int>& nodes = {},
                                    int (*node_of)(unsigned cpu) = cpu_socket);

/// True when two lcores have the same CPU.
bool shares_cpus(const std::vector<LcoreSpec>& lcores);

/// What one worker polls, for the map printed at start.
struct WorkerRow {
  unsigned lcore = 0;
  unsigned cpu = 0;
  struct Queue {
    std::string port;
    std::uint16_t queue = 0;
    int socket = -1;
  };
  std::vector<Queue> queues;
  std::string boards;  ///< in words
};

/// The map as a table of text, a line per worker; queues on another NUMA node than their worker's CPU are
/// marked.
std::string worker_map(const std::vector<WorkerRow>& rows);

/// A port on another NUMA node than the CPU that polls it, in words.
struct FarPort {
  std::string port;
  std::string found;
  std::string fix;
};
std::vector<FarPort> far_ports(const std::vector<WorkerRow>& rows, int (*node_of)(unsigned cpu) = cpu_socket);

}  // namespace softfeb::dataplane
