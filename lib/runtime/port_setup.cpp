// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/port_setup.hpp"

#include "config/error.hpp"
#include "dataplane/error.hpp"
#include "dataplane/path_mtu.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace softfeb::runtime {

namespace {

std::size_t ports_here(const config::RunConfig& config) {
  std::size_t n = 0;
  for (std::size_t p = 0; p < config.ports.size(); ++p) n += config.is_here(p) ? 1 : 0;
  return n;
}

std::uint64_t worker_memory_mib(const config::RunConfig& config) {
  return 128 + 96 * ports_here(config) * std::max<std::size_t>(1, config.workers.count);
}

/// Returns the NUMA node of a port's device, or -1 if the device has no node. Also returns -1 if the text of
/// `device` in the configuration is invalid, because opening the port will report this error.
int node_of(const config::PortConfig& port) {
  try {
    return dataplane::device_node(dataplane::parse_device(port.device.text));
  } catch (const dataplane::RequestError&) {
    return -1;
  }
}

/// Returns, for each worker, the common NUMA node of its ports; -1 if there is none.
std::vector<int> worker_nodes(const config::RunConfig& config) {
  std::vector<std::vector<int>> seen(config.workers.count);
  for (std::size_t p = 0; p < config.ports.size(); ++p) {
    if (!config.is_here(p)) continue;
    for (const unsigned w : workers_on(config, p)) seen[w].push_back(node_of(config.ports[p]));
  }
  std::vector<int> nodes;
  for (const auto& of_worker : seen) nodes.push_back(dataplane::common_node(of_worker));
  return nodes;
}

/// Throws EnvironmentError if the configuration requests more memory than the machine has. DPDK would try
/// for minutes to allocate it.
void check_memory(const config::RunConfig& config) {
  const auto has =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  if (!config.eal.memory || *config.eal.memory <= has) return;
  const config::Problem problem{config.place(config.eal.where, "memory"),
                                fmt::format("is more than this machine's memory of {} MiB", has >> 20), ""};
  throw dataplane::EnvironmentError(config::to_string(problem),
                                    "fix: use a smaller value, or remove the key");
}

/// Throws ConfigError if the configuration names CPUs that are not available to this process.
void check_cpus(const config::RunConfig& config, const std::vector<unsigned>& usable) {
  std::vector<config::Problem> problems;
  const auto check = [&](const char* key, unsigned cpu) {
    if (std::find(usable.begin(), usable.end(), cpu) != usable.end()) return;
    problems.push_back(
        {config.place(config.workers.where, key),
         fmt::format("CPU {} is not available to this process; available: {}", cpu, fmt::join(usable, ", ")),
         fmt::format("choose one of those, or remove `{}`", key)});
  };
  for (const unsigned cpu : config.workers.cpus) check("cpus", cpu);
  if (config.workers.main_cpu) check("main_cpu", *config.workers.main_cpu);
  if (!problems.empty()) throw config::ConfigError(std::move(problems));
}

}  // namespace

std::vector<dataplane::WorkerRow> worker_rows(const config::RunConfig& config,
                                              const std::vector<dataplane::LcoreSpec>& lcores) {
  std::vector<dataplane::WorkerRow> rows;
  for (std::size_t w = 0; w < config.workers.count; ++w) {
    const dataplane::LcoreSpec& lcore = lcores[w + 1];
    rows.push_back({.lcore = lcore.id, .cpu = lcore.cpu.value_or(lcore.id), .queues = {}, .boards = {}});
  }
  for (std::size_t p = 0; p < config.ports.size(); ++p) {
    if (!config.is_here(p)) continue;
    const int node = node_of(config.ports[p]);
    for (const unsigned w : workers_on(config, p)) rows[w].queues.push_back({config.ports[p].name, 0, node});
  }
  return rows;
}

int ports_node(const config::RunConfig& config) {
  std::vector<int> nodes;
  for (std::size_t p = 0; p < config.ports.size(); ++p) {
    if (config.is_here(p)) nodes.push_back(node_of(config.ports[p]));
  }
  return dataplane::common_node(nodes);
}

dataplane::EalConfig eal_settings(const config::RunConfig& config,
                                  const std::vector<dataplane::LcoreSpec>& lcores) {
  dataplane::EalConfig e;
  e.huge = config.eal.hugepages;
  check_memory(config);
  const std::uint64_t mib = config.eal.memory ? *config.eal.memory >> 20 : worker_memory_mib(config);
  e.memory_mib = static_cast<unsigned>(mib);
  e.lcores = lcores;
  e.main_lcore = lcores.front().id;
  // The telemetry socket is a runtime file. Without a prefix, DPDK runs with --in-memory or --no-shconf and
  // creates no runtime files.
  e.telemetry = config.eal.prefix.has_value();
  e.extra = config.eal.args;
  e.prefix = config.eal.prefix.value_or("");
  for (std::size_t p = 0; p < config.ports.size(); ++p) {
    const config::Device& device = config.ports[p].device;
    if (config.is_here(p) && device.kind == config::DeviceKind::kPci) e.pci_devices.push_back(device.text);
  }
  return e;
}

std::vector<dataplane::LcoreSpec> place_lcores(const config::RunConfig& config) {
  const std::vector<unsigned> usable = dataplane::usable_cpus();
  check_cpus(config, usable);
  auto lcores = dataplane::place_lcores(static_cast<unsigned>(config.workers.count), config.workers.cpus,
                                        usable, worker_nodes(config));
  if (config.workers.main_cpu) lcores.front().cpu = *config.workers.main_cpu;
  return lcores;
}

bool attaches_payload(const config::RunConfig& config, std::size_t port,
                      const dataplane::Capabilities& capabilities) {
  const auto sends_events = [port](const config::BoardConfig& b) {
    return b.events && b.endpoint.port == port;
  };
  return capabilities.multi_segments && config.ports[port].tx_segments != config::TxSegments::kOne &&
         std::none_of(config.boards.begin(), config.boards.end(), sends_events);
}

std::uint32_t needed_mtu(const config::RunConfig& config, std::size_t port) {
  std::uint32_t mtu = 0;
  for (const auto& b : config.boards) {
    for (const auto& qp : b.qps) {
      bool here = b.endpoint.port == port;
      if (const auto* to = std::get_if<config::ReceiverTarget>(&qp.to)) {
        for (const std::size_t r : to->receivers) here = here || config.receivers[r].endpoint.port == port;
      }
      if (here) mtu = std::max(mtu, dataplane::mtu_for(qp.pmtu, !b.endpoint.ip.is_v4()));
    }
  }
  return mtu;
}

std::vector<unsigned> workers_on(const config::RunConfig& config, std::size_t port) {
  std::vector<unsigned> workers;
  const auto add = [&](const config::EndpointConfig& e) {
    if (e.port == port) workers.push_back(static_cast<unsigned>(e.worker));
  };
  for (const auto& b : config.boards) add(b.endpoint);
  for (const auto& r : config.receivers) add(r.endpoint);
  std::sort(workers.begin(), workers.end());
  workers.erase(std::unique(workers.begin(), workers.end()), workers.end());
  if (workers.empty()) workers.push_back(0);
  return workers;
}

std::uint16_t queues_of(const config::RunConfig& config, std::size_t port) {
  std::size_t n = workers_on(config, port).size();
  const auto& device = config.ports[port].device;
  for (std::size_t other = 0; other < config.ports.size(); ++other) {
    const auto& d = config.ports[other].device;
    if (device.kind == config::DeviceKind::kRing && d.kind == config::DeviceKind::kRing &&
        d.name == device.name && config.ports[other].host == config.ports[port].host) {
      n = std::max(n, workers_on(config, other).size());
    }
  }
  return static_cast<std::uint16_t>(n);
}

dataplane::PacingConfig pacing_settings(const config::RunConfig& config, std::size_t index) {
  const config::PortConfig& p = config.ports[index];
  dataplane::PacingConfig out;
  out.way = p.pacing;
  out.horizon = p.pacing_horizon;
  if (p.pacing != config::Pacing::kQueueRate) return out;
  for (const unsigned worker : workers_on(config, index)) {
    std::uint64_t rate = 0;
    for (const auto& b : config.boards) {
      if (b.endpoint.port == index && b.endpoint.worker == worker) rate += b.link_rate.value_or(0);
    }
    out.queue_rates.push_back(rate);
  }
  return out;
}

dataplane::PortConfig port_settings(const config::RunConfig& config, std::size_t index) {
  const config::PortConfig& p = config.ports[index];
  dataplane::PortConfig c;
  c.name = p.name;
  c.queues = queues_of(config, index);
  c.rx_descriptors = p.rx_descriptors;
  c.tx_descriptors = p.tx_descriptors;
  c.mtu = p.mtu;
  c.rx_held = kHeldPackets;
  c.lcores = static_cast<unsigned>(config.workers.count) + 1;
  c.receive_interrupts = config.workers.idle == config::IdlePolicy::kSleep;
  c.pacing = pacing_settings(config, index);
  c.flow_control = p.flow_control;
  c.promiscuous = p.promiscuous;
  for (const auto& b : config.boards) {
    if (b.endpoint.port == index) c.macs.push_back(b.endpoint.mac);
  }
  for (const auto& r : config.receivers) {
    if (r.endpoint.port == index) c.macs.push_back(r.endpoint.mac);
  }
  return c;
}

}  // namespace softfeb::runtime
