// SPDX-License-Identifier: BSD-3-Clause
#include "doctor.hpp"

#include "base/exit_code.hpp"
#include "config/error.hpp"
#include "config/load.hpp"
#include "dataplane/doctor.hpp"
#include "experiment/ensemble.hpp"
#include "hosts/host_order.hpp"
#include "roce/cpu.hpp"
#include "runtime/port_setup.hpp"

#include <fmt/format.h>

namespace softfeb::app {

namespace {

/// Returns the index of this host in `hosts`. If `hosts` does not contain this host, returns an empty value,
/// and all ports are checked.
std::optional<std::size_t> this_host(const config::RunConfig& config) {
  std::vector<std::string> names;
  for (const config::HostConfig& host : config.hosts) names.push_back(host.name);
  return hosts::find_host(experiment::host_name(), names);
}

std::vector<dataplane::Check> check_ports(const DoctorOptions& options) {
  config::RunConfig config = config::load_run(*options.config, options.overrides);
  config.here = this_host(config);
  const auto lcores = runtime::place_lcores(config);
  const dataplane::Eal eal(runtime::eal_settings(config, lcores));
  dataplane::Mempools pools;
  dataplane::DeviceFactory factory;
  std::vector<dataplane::Check> all;
  for (std::size_t i = 0; i < config.ports.size(); ++i) {
    if (!config.is_here(i)) continue;
    const auto checks =
        dataplane::check_port(config.ports[i].device.text, runtime::port_settings(config, i), factory, pools);
    all.insert(all.end(), checks.begin(), checks.end());
  }
  for (const dataplane::FarPort& f : dataplane::far_ports(runtime::worker_rows(config, lcores)))
    all.push_back({f.port + " numa", dataplane::Health::kWarn, f.found, f.fix});
  return all;
}

/// Checks whether the CPU has the instructions for fast iCRCs. The iCRC is correct on every CPU, but fast
/// only with PCLMULQDQ.
dataplane::Check check_instructions() {
  dataplane::Check c{"iCRC", dataplane::Health::kOk, "", ""};
  if (roce::cpu::kPclmul) {
    c.found = "carry-less multiplication (PCLMULQDQ) and ISA-L";
    return c;
  }
  c.health = dataplane::Health::kWarn;
  c.found = "lookup tables: correct, but slower";
  c.fix = "unset SOFTFEB_CPU, or use a CPU with PCLMULQDQ";
  return c;
}

}  // namespace

int doctor(const DoctorOptions& options) {
  if (!options.config && !options.overrides.empty()) {
    throw config::ConfigError(
        {{{"--set", 0, ""}, "there is no configuration to override", "add -c FILE, or remove --set"}});
  }
  std::vector<dataplane::Check> checks = dataplane::check_machine();
  checks.push_back(check_instructions());
  if (options.config) {
    const auto ports = check_ports(options);
    checks.insert(checks.end(), ports.begin(), ports.end());
  }
  fmt::print("{}", options.json ? dataplane::doctor_json(checks) + "\n" : dataplane::doctor_text(checks));
  return dataplane::worst(checks) == dataplane::Health::kBad ? kEnvironment : kDone;
}

}  // namespace softfeb::app
