// SPDX-License-Identifier: BSD-3-Clause
#include "environment.hpp"

#include "dataplane/cpus.hpp"
#include "dataplane/run_clock.hpp"

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <rte_cycles.h>
#include <rte_version.h>

namespace softfeb::bench {

namespace {

/// Returns the text after the colon of the first line of /proc/cpuinfo that begins with `key`.
std::string cpu_info(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with(key) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

/// Returns those flags of the CPU that affect how fast packets are built and checked.
Json vector_flags() {
  std::istringstream flags(cpu_info("flags"));
  std::set<std::string> all;
  for (std::string f; flags >> f;) all.insert(f);
  Json out = Json::array();
  for (const char* f : {"sse4_2", "pclmulqdq", "avx", "avx2", "avx512f", "avx512vl", "vpclmulqdq"}) {
    if (all.contains(f)) out.push_back(f);
  }
  return out;
}

}  // namespace

Environment::Environment(unsigned others)
    : cpus_(dataplane::usable_cpus()),
      lcores_(dataplane::place_lcores(others, {}, cpus_)),
      shares_(dataplane::shares_cpus(lcores_)) {
  dataplane::EalConfig c;
  c.lcores = lcores_;
  c.main_lcore = 0;
  eal_ = std::make_unique<dataplane::Eal>(c);
  clock_ = std::make_unique<dataplane::TscClock>(dataplane::start_clock());
}

Time read_clock(const dataplane::TscClock& clock) { return clock.time(rte_rdtsc()); }

Json machine_facts(const Environment* environment) {
  Json out{{"cpu", cpu_info("model name")},
           {"cpus", environment != nullptr ? environment->cpus().size() : dataplane::usable_cpus().size()},
           {"flags", vector_flags()},
           {"compiler", __VERSION__},
           {"dpdk", rte_version()}};
  if (environment != nullptr) {
    out["huge_pages"] = environment->huge_pages();
    out["tsc_mhz"] = static_cast<double>(environment->clock().hz()) * 1e-6;
    out["shares_cpus"] = environment->shares_cpus();
  }
  return out;
}

}  // namespace softfeb::bench
