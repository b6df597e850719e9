// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/cpus.hpp"

#include "dataplane/error.hpp"

#include <algorithm>
#include <iomanip>
#include <iterator>
#include <set>
#include <sstream>

#include <sched.h>

namespace softfeb::dataplane {

std::vector<unsigned> usable_cpus() {
  std::vector<unsigned> cpus;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {0};
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

namespace {

/// Chooses a free CPU, preferably on `node`. The control thread's CPU (the first) is the last choice. When
/// all CPUs are taken, they are reused.
unsigned choose_cpu(const std::vector<unsigned>& usable, std::vector<unsigned>& taken, int node,
                    int (*node_of)(unsigned)) {
  if (taken.size() == usable.size()) taken.clear();
  const auto open = [&](unsigned cpu) { return std::find(taken.begin(), taken.end(), cpu) == taken.end(); };
  const auto near = [&](unsigned cpu) { return open(cpu) && node >= 0 && node_of(cpu) == node; };
  auto at = std::find_if(usable.begin() + 1, usable.end(), near);
  if (at == usable.end()) at = std::find_if(usable.begin() + 1, usable.end(), open);
  taken.push_back(at == usable.end() ? usable.front() : *at);
  return taken.back();
}

}  // namespace

std::vector<LcoreSpec> place_lcores(unsigned workers, const std::vector<unsigned>& asked,
                                    const std::vector<unsigned>& usable, const std::vector<int>& nodes,
                                    int (*node_of)(unsigned)) {
  std::vector<LcoreSpec> lcores{{0, usable.front()}};
  for (const unsigned cpu : asked) {
    if (std::find(usable.begin(), usable.end(), cpu) == usable.end()) {
      throw RequestError("CPU " + std::to_string(cpu) +
                         " is not available to this process (taskset -p $$ shows which are)");
    }
  }
  std::vector<unsigned> taken;
  for (unsigned worker = 0; worker < workers; ++worker) {
    const int node = worker < nodes.size() ? nodes[worker] : -1;
    const unsigned cpu =
        asked.empty() ? choose_cpu(usable, taken, node, node_of) : asked[worker % asked.size()];
    lcores.push_back({worker + 1, cpu});
  }
  return lcores;
}

bool shares_cpus(const std::vector<LcoreSpec>& lcores) {
  std::set<unsigned> seen;
  return !std::all_of(lcores.begin(), lcores.end(),
                      [&](const LcoreSpec& l) { return seen.insert(l.cpu.value_or(l.id)).second; });
}

std::string worker_map(const std::vector<WorkerRow>& rows) {
  std::ostringstream out;
  out << "lcore  cpu  queues                            boards\n";
  for (const WorkerRow& row : rows) {
    const int socket = cpu_socket(row.cpu);
    std::string queues;
    for (const auto& q : row.queues) {
      const bool far = q.socket >= 0 && socket >= 0 && q.socket != socket;
      queues += (queues.empty() ? "" : " ") + q.port + ':' + std::to_string(q.queue) +
                (far ? "(other NUMA node)" : "");
    }
    out << std::right << std::setw(5) << row.lcore << "  " << std::setw(3) << row.cpu << "  " << std::left
        << std::setw(32) << queues << "  " << row.boards << '\n';
  }
  return out.str();
}

std::vector<FarPort> far_ports(const std::vector<WorkerRow>& rows, int (*node_of)(unsigned)) {
  std::vector<FarPort> far;
  for (const WorkerRow& row : rows) {
    const int here = node_of(row.cpu);
    for (const auto& q : row.queues) {
      if (here < 0 || q.socket < 0 || q.socket == here) continue;
      const std::string there = std::to_string(q.socket);
      far.push_back({q.port,
                     "on NUMA node " + there + ", polled by CPU " + std::to_string(row.cpu) + " on node " +
                         std::to_string(here) + ": every packet crosses NUMA nodes",
                     "set workers.cpus to CPUs of node " + there + " (" + node_cpus(q.socket) + ")"});
    }
  }
  return far;
}

}  // namespace softfeb::dataplane
