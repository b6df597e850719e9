// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/dpdk_runtime.hpp"

#include "config/error.hpp"
#include "dataplane/error.hpp"
#include "runtime/fault_setup.hpp"
#include "runtime/port_setup.hpp"
#include "runtime/stop_signal.hpp"
#include "service/log.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include <fmt/format.h>

namespace softfeb::runtime {

namespace {

constexpr std::size_t kArenaSlack = 1U << 16;

}  // namespace

DpdkRuntime::DpdkRuntime(const config::RunConfig& config, std::size_t arena_bytes)
    : config_(config), lcores_(place_lcores(config)) {
  eal_ = std::make_unique<dataplane::Eal>(eal_settings(config, lcores_));
  clock_.calibrate();
  read_wall_clock();
  arena_ = std::make_unique<dataplane::Arena>(arena_bytes + kArenaSlack, ports_node(config));
  factory_ = std::make_unique<dataplane::DeviceFactory>();
  for (std::size_t i = 0; i < config.ports.size(); ++i) open_port(config, i);
}

DpdkRuntime::~DpdkRuntime() {
  // Stop all ports before destroying any device: the far end of a ring may still hold packets from our pools.
  for (RunPort& p : ports_) p.port.reset();
}

void DpdkRuntime::for_worker(std::size_t w, const std::function<void()>& make) const {
  const dataplane::LcoreSpec& lcore = lcores_[w + 1];
  const dataplane::MemoryNode near(dataplane::cpu_socket(lcore.cpu.value_or(lcore.id)));
  make();
}

void DpdkRuntime::open_port(const config::RunConfig& config, std::size_t index) {
  const config::PortConfig& p = config.ports[index];
  RunPort port;
  port.name = p.name;
  if (!config.is_here(index)) {
    ports_.push_back(std::move(port));
    return;
  }
  port.workers = workers_on(config, index);
  port.queues = queues_of(config, index);
  const dataplane::DeviceSpec spec = dataplane::parse_device(p.device.text);
  std::uint32_t mtu = p.mtu.value_or(std::max(needed_mtu(config, index), 1500U));
  if (spec.kind == dataplane::DeviceKind::kAfPacket)
    mtu = std::max(mtu, dataplane::kernel_mtu(spec.argument));
  port.frame_bytes = dataplane::frame_bytes_for(mtu);
  try {
    port.device = factory_->attach(spec, {port.queues, port.frame_bytes, p.tx_descriptors});
    port.port = std::make_unique<dataplane::Port>(*port.device, port_settings(config, index), pools_);
  } catch (const dataplane::RequestError& e) {
    throw config::ConfigError(
        {{config.place(p.where, "device"), e.what(), "see the devices in conf/reference.yaml"}});
  }
  port.frame_bytes = std::max(port.frame_bytes, dataplane::frame_bytes_for(port.port->mtu()));
  arena_->map_for(port.port->id());
  ports_.push_back(std::move(port));
  check_path_mtu(config, index);
  make_captures(config, index);
  make_stamps(config, index);
}

void DpdkRuntime::make_stamps(const config::RunConfig& config, std::size_t index) {
  if (config.ports[index].pacing != config::Pacing::kTimestamp) return;
  RunPort& port = ports_[index];
  port.clock = std::make_unique<dataplane::PortClock>(port.port->id(), port.name, clock_.clock());
  for (std::size_t k = 0; k < port.workers.size(); ++k) {
    port.stamps.push_back(
        std::make_unique<dataplane::DepartureStamps>(port.clock->map(), config.ports[index].pacing_horizon));
  }
}

void DpdkRuntime::follow_clocks() {
  clock_.follow();
  for (RunPort& p : ports_) {
    if (p.clock) p.clock->follow();
  }
}

void DpdkRuntime::check_path_mtu(const config::RunConfig& config, std::size_t index) const {
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

void DpdkRuntime::make_captures(const config::RunConfig& config, std::size_t index) {
  RunPort& port = ports_[index];
  const config::PortConfig& p = config.ports[index];
  if (!p.capture) return;
  for (std::size_t k = 0; k < port.workers.size(); ++k) {
    port.captures.push_back(std::make_unique<dataplane::Capture>(
        dataplane::CaptureConfig{p.capture->on, static_cast<std::uint32_t>(p.capture->packets),
                                 p.capture->snaplen, port.frame_bytes}));
  }
}

void DpdkRuntime::make_fault_injectors(const endpoints::Plans& plans) {
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    if (ports_[i].is_here() && config_.ports[i].faults.any()) make_faults(plans, i);
  }
}

void DpdkRuntime::make_faults(const endpoints::Plans& plans, std::size_t index) {
  RunPort& port = ports_[index];
  const config::FaultConfig& f = config_.ports[index].faults;
  const auto lcores = static_cast<unsigned>(config_.workers.count) + 1;
  const faults::HoldLimits limits{f.held_packets, f.max_hold};
  for (std::size_t k = 0; k < port.workers.size(); ++k) {
    // Derive a separate random sequence for each queue and direction from the port's seed.
    const std::uint64_t seed = f.seed * 1000 + k * 2;
    const faults::FaultRates tx{f.tx_drop.parts(), f.tx_corrupt.parts(), f.tx_duplicate.parts(),
                                f.tx_reorder.parts(), f.tx_mark_ce.parts()};
    const faults::FaultRates rx{f.rx_drop.parts(), 0, 0, 0, 0};
    port.tx_faults.push_back(std::make_unique<dataplane::FaultInjector>(
        faults::FaultPlan(seed, tx), port.frame_bytes, kHeldPackets, lcores, pools_, config_.run.cc_port,
        fault_rules(config_, plans, index, faults::Direction::kTx, port.workers[k]), limits));
    port.rx_faults.push_back(std::make_unique<dataplane::FaultInjector>(
        faults::FaultPlan(seed + 1, rx), port.frame_bytes, 64, lcores, pools_, config_.run.cc_port,
        fault_rules(config_, plans, index, faults::Direction::kRx, port.workers[k]), limits));
  }
}

std::string RunPort::link_state() const {
  const dataplane::LinkState link = port->link();
  const std::string speed =
      link.bps != 0 ? fmt::format(", {:g} Gb/s", static_cast<double>(link.bps) * 1e-9) : "";
  return std::string("link ") + (link.up ? "up" : "down") + speed;
}

void DpdkRuntime::wait_for_links(Time limit, bool quiet) const {
  constexpr Time kTellAfter = kSecond, kTellEvery = 5 * kSecond;
  const Time begin = now();
  Time tell_at = begin + kTellAfter;
  for (const RunPort& p : ports_) {
    if (!p.is_here()) continue;
    while (!p.port->link().up && stop_signals() == 0) {
      const Time waited = now() - begin;
      const bool vhost = p.device->spec().kind == dataplane::DeviceKind::kVhost;
      if (waited > limit) {
        throw dataplane::EnvironmentError(
            fmt::format("port {} has no link after {:.0f} s (run.connect_timeout)", p.name,
                        to_seconds(waited)),
            vhost ? "start the guest or program at the other end of the socket"
                  : "check cable, transceiver and the other end");
      }
      if (!quiet && begin + waited > tell_at) {
        service::notice(
            fmt::format("port {}: waiting for its link, {:.0f} s more", p.name, to_seconds(limit - waited)));
        tell_at += kTellEvery;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
}

std::vector<std::string> DpdkRuntime::write_captures() const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const auto& capture = config_.ports[i].capture;
    if (!capture || !ports_[i].is_here()) continue;
    std::vector<const dataplane::Capture*> parts;
    for (const auto& c : ports_[i].captures) parts.push_back(c.get());
    const std::size_t n = dataplane::write_pcap(capture->file, parts, unix_origin_ns_);
    lines.push_back(std::to_string(n) + " packets of port " + ports_[i].name + " in " + capture->file);
  }
  return lines;
}

}  // namespace softfeb::runtime
