// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include "config/error.hpp"
#include "dataplane/error.hpp"

#include <algorithm>
#include <chrono>

#include <rte_cycles.h>

namespace softfeb::app {

namespace {

constexpr std::size_t kArenaSlack = 1U << 16;
/// Packets that may be built and not yet gone, besides those in descriptors: the far end of a ring, retries.
constexpr std::uint32_t kHeld = 2048;

std::uint64_t worker_memory_mib(const config::RunConfig& config) {
  return 128 + 96 * config.ports.size() * std::max<std::size_t>(1, config.workers.count);
}

dataplane::EalConfig eal_config(const config::RunConfig& config,
                                const std::vector<dataplane::LcoreSpec>& lcores) {
  dataplane::EalConfig e;
  e.huge = config.eal.hugepages == config::Hugepages::kNo ? dataplane::HugePages::kNo
                                                          : dataplane::HugePages::kAuto;
  const std::uint64_t mib = config.eal.memory ? *config.eal.memory >> 20 : worker_memory_mib(config);
  e.memory_mib = static_cast<unsigned>(mib);
  e.lcores = lcores;
  e.main_lcore = lcores.front().id;
  e.extra = config.eal.args;
  e.prefix = config.eal.prefix.value_or("");
  for (const auto& p : config.ports) {
    if (p.device.kind == config::DeviceKind::kPci) {
      e.pci_devices.push_back(p.device.text);
    }
  }
  return e;
}

std::vector<dataplane::LcoreSpec> lcores_for(const config::RunConfig& config) {
  auto lcores = dataplane::place_lcores(static_cast<unsigned>(config.workers.count), config.workers.cpus,
                                        dataplane::usable_cpus());
  if (config.workers.main_cpu) lcores.front().cpu = *config.workers.main_cpu;
  return lcores;
}

/// MTU that the QPs of this port's boards and receivers need.
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

/// Both ends of a ring have the same number of queues.
std::uint16_t queues_of(const config::RunConfig& config, std::size_t port) {
  std::size_t n = workers_on(config, port).size();
  const auto& device = config.ports[port].device;
  for (std::size_t other = 0; other < config.ports.size(); ++other) {
    const auto& d = config.ports[other].device;
    if (device.kind == config::DeviceKind::kRing && d.kind == config::DeviceKind::kRing &&
        d.name == device.name) {
      n = std::max(n, workers_on(config, other).size());
    }
  }
  return static_cast<std::uint16_t>(n);
}

dataplane::PortConfig port_config(const config::PortConfig& p, const RunPort& port,
                                  const config::RunConfig& config, std::size_t index) {
  dataplane::PortConfig c;
  c.name = p.name;
  c.queues = port.queues;
  c.rx_descriptors = p.rx_descriptors;
  c.tx_descriptors = p.tx_descriptors;
  c.mtu = p.mtu;
  c.rx_held = kHeld;
  c.lcores = static_cast<unsigned>(config.workers.count) + 1;
  switch (p.flow_control) {
    case config::FlowControl::kOff:
      c.flow_control = dataplane::FlowControl::kOff;
      break;
    case config::FlowControl::kRx:
      c.flow_control = dataplane::FlowControl::kRx;
      break;
    case config::FlowControl::kTx:
      c.flow_control = dataplane::FlowControl::kTx;
      break;
    case config::FlowControl::kFull:
      c.flow_control = dataplane::FlowControl::kFull;
      break;
    case config::FlowControl::kLeave:
      c.flow_control = dataplane::FlowControl::kLeave;
      break;
  }
  switch (p.promiscuous) {
    case config::Promiscuous::kAuto:
      c.promiscuous = dataplane::Promiscuous::kAuto;
      break;
    case config::Promiscuous::kOn:
      c.promiscuous = dataplane::Promiscuous::kOn;
      break;
    case config::Promiscuous::kOff:
      c.promiscuous = dataplane::Promiscuous::kOff;
      break;
  }
  for (const auto& b : config.boards) {
    if (b.endpoint.port == index) c.macs.push_back(b.endpoint.mac);
  }
  for (const auto& r : config.receivers) {
    if (r.endpoint.port == index) c.macs.push_back(r.endpoint.mac);
  }
  return c;
}

std::uint64_t wall_clock_ns() {
  using namespace std::chrono;
  return static_cast<std::uint64_t>(
      duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count());
}

}  // namespace

Machine::Machine(const config::RunConfig& config, std::size_t arena_bytes)
    : config_(config), lcores_(lcores_for(config)) {
  eal_ = std::make_unique<dataplane::Eal>(eal_config(config, lcores_));
  clock_ = dataplane::start_clock();
  unix_origin_ns_ = wall_clock_ns() - now() / kNanosecond;
  arena_ = std::make_unique<dataplane::Arena>(arena_bytes + kArenaSlack);
  factory_ = std::make_unique<dataplane::DeviceFactory>();
  for (std::size_t i = 0; i < config.ports.size(); ++i) open_port(config, i);
}

Machine::~Machine() {
  // Ports stop before any device goes: a ring's far end may still hold packets of this one's pools.
  for (RunPort& p : ports_) p.port.reset();
}

Time Machine::now() const { return clock_->time(rte_rdtsc()); }

void Machine::open_port(const config::RunConfig& config, std::size_t index) {
  const config::PortConfig& p = config.ports[index];
  RunPort port;
  port.name = p.name;
  port.workers = workers_on(config, index);
  port.queues = queues_of(config, index);
  const dataplane::DeviceSpec spec = dataplane::parse_device(p.device.text);
  std::uint32_t mtu = p.mtu.value_or(std::max(needed_mtu(config, index), 1500U));
  if (spec.kind == dataplane::DeviceKind::kAfPacket)
    mtu = std::max(mtu, dataplane::kernel_mtu(spec.argument));
  port.frame_bytes = dataplane::frame_bytes_for(mtu);
  try {
    port.device = factory_->attach(spec, {port.queues, port.frame_bytes, p.tx_descriptors});
    port.port = std::make_unique<dataplane::Port>(*port.device, port_config(p, port, config, index), pools_);
  } catch (const dataplane::RequestError& e) {
    throw config::ConfigError(
        {{config.place(p.where, "device"), e.what(), "conf/reference.yaml lists devices"}});
  }
  port.frame_bytes = std::max(port.frame_bytes, dataplane::frame_bytes_for(port.port->mtu()));
  arena_->map_for(port.port->id());
  ports_.push_back(std::move(port));
  check_path_mtu(config, index);
  make_faults(config, index);
}

void Machine::check_path_mtu(const config::RunConfig& config, std::size_t index) const {
  const dataplane::Port& port = *ports_[index].port;
  for (const auto& b : config.boards) {
    for (const auto& qp : b.qps) {
      const bool v6 = !b.endpoint.ip.is_v4();
      if (b.endpoint.port != index || qp.pmtu <= port.largest_path_mtu(v6)) continue;
      throw config::ConfigError({{config.place(qp.where, "pmtu"),
                                  "path MTU " + std::to_string(qp.pmtu) + " does not fit port " +
                                      ports_[index].name + " with MTU " + std::to_string(port.mtu()) +
                                      " (at most " + std::to_string(port.largest_path_mtu(v6)) + ")",
                                  port.mtu_fix(dataplane::mtu_for(qp.pmtu, v6)) + ", or a smaller pmtu"}});
    }
  }
}

void Machine::make_faults(const config::RunConfig& config, std::size_t index) {
  RunPort& port = ports_[index];
  const config::PortConfig& p = config.ports[index];
  const auto lcores = static_cast<unsigned>(config.workers.count) + 1;
  for (std::size_t k = 0; k < port.workers.size(); ++k) {
    if (p.faults.any()) {
      // Each queue and direction draws from a sequence of its own, all of the one seed.
      const std::uint64_t seed = p.faults.seed * 1000 + k * 2;
      const dataplane::FaultRates tx{p.faults.tx_drop.parts(), p.faults.tx_corrupt.parts(),
                                     p.faults.tx_duplicate.parts(), p.faults.tx_reorder.parts(),
                                     p.faults.tx_mark_ce.parts()};
      const dataplane::FaultRates rx{p.faults.rx_drop.parts(), 0, 0, 0, 0};
      port.tx_faults.push_back(std::make_unique<dataplane::FaultInjector>(
          dataplane::FaultPlan(seed, tx), port.frame_bytes, kHeld, lcores, pools_));
      port.rx_faults.push_back(std::make_unique<dataplane::FaultInjector>(
          dataplane::FaultPlan(seed + 1, rx), port.frame_bytes, 64, lcores, pools_));
    }
    if (p.capture) {
      const auto mode = p.capture->on == config::CaptureTrigger::kStart ? dataplane::CaptureMode::kFirst
                                                                        : dataplane::CaptureMode::kOnError;
      port.captures.push_back(std::make_unique<dataplane::Capture>(dataplane::CaptureConfig{
          mode, static_cast<std::uint32_t>(p.capture->packets), p.capture->snaplen, port.frame_bytes}));
    }
  }
}

std::vector<std::string> Machine::write_captures() const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const auto& capture = config_.ports[i].capture;
    if (!capture) continue;
    std::vector<const dataplane::Capture*> parts;
    for (const auto& c : ports_[i].captures) parts.push_back(c.get());
    const std::size_t n = dataplane::write_pcap(capture->file, parts, unix_origin_ns_);
    lines.push_back(std::to_string(n) + " packets of port " + ports_[i].name + " in " + capture->file);
  }
  return lines;
}

}  // namespace softfeb::app
