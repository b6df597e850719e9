// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/cpus.hpp"

#include "dataplane/error.hpp"
#include "dataplane/tsc_clock.hpp"

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <set>
#include <sstream>

#include <rte_cycles.h>
#include <sched.h>

namespace softfeb::dataplane {

TscClock start_clock() { return TscClock(rte_get_tsc_hz(), rte_rdtsc()); }

std::vector<unsigned> usable_cpus() {
  std::vector<unsigned> cpus;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {0};
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

std::vector<LcoreSpec> place_lcores(unsigned workers, const std::vector<unsigned>& asked,
                                    const std::vector<unsigned>& usable) {
  std::vector<LcoreSpec> lcores{{0, usable.front()}};
  for (const unsigned cpu : asked) {
    if (std::find(usable.begin(), usable.end(), cpu) == usable.end()) {
      throw RequestError("CPU " + std::to_string(cpu) +
                         " is not one this process may run on (taskset -p $$ shows them)");
    }
  }
  for (unsigned worker = 0; worker < workers; ++worker) {
    // Without a wish: from the second CPU on, coming to the control thread's last.
    const unsigned cpu = asked.empty() ? usable[(worker + 1) % usable.size()] : asked[worker % asked.size()];
    lcores.push_back({worker + 1, cpu});
  }
  return lcores;
}

bool shares_cpus(const std::vector<LcoreSpec>& lcores) {
  std::set<unsigned> seen;
  return !std::all_of(lcores.begin(), lcores.end(),
                      [&](const LcoreSpec& l) { return seen.insert(l.cpu.value_or(l.id)).second; });
}

int cpu_socket(unsigned cpu) {
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator("/sys/devices/system/cpu/cpu" + std::to_string(cpu), error)) {
    const std::string name = entry.path().filename();
    if (name.size() > 4 && name.starts_with("node") && std::isdigit(static_cast<unsigned char>(name[4])) != 0)
      return std::stoi(name.substr(4));
  }
  return -1;
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

}  // namespace softfeb::dataplane
