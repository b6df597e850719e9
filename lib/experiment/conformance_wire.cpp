// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/conformance_wire.hpp"

#include "config/error.hpp"
#include "dataplane/error.hpp"
#include "runtime/port_setup.hpp"
#include "runtime/stop_signal.hpp"

#include <algorithm>
#include <utility>

#include <time.h>

namespace softfeb::experiment {

namespace {

constexpr std::size_t kArenaBytes = 1U << 16;
constexpr Time kResolveInterval = 200 * kMillisecond;

engine::Identity identity_of(const config::EndpointConfig& e) {
  engine::Identity out{.mac = e.mac, .ip = e.ip, .prefix_length = e.prefix_length, .gateway = e.gateway};
  if (e.vlan) out.vlan = roce::VlanTag{*e.vlan, e.pcp};
  return out;
}

Time thread_cpu_time() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<Time>(t.tv_sec) * kSecond + static_cast<Time>(t.tv_nsec) * kNanosecond;
}

}  // namespace

conformance::OwnTargetConfig own_addresses(const config::RunConfig& config) {
  if (config.receivers.empty()) {
    throw config::ConfigError({{config.conformance->where, "`target: own:` needs a receiver",
                                "add a list `receivers`, or use own:virtual"}});
  }
  const config::ReceiverConfig& receiver = config.receivers.front();
  conformance::OwnTargetConfig out{.identity = identity_of(receiver.endpoint)};
  out.requesters = {config.boards.front().endpoint.ip};
  if (config.conformance->second_ip) out.requesters.push_back(*config.conformance->second_ip);
  out.notification = {
      .enabled = receiver.cnp.enabled, .scope = receiver.cnp.scope, .interval = receiver.cnp.interval};
  return out;
}

ConformanceWire::ConformanceWire(const config::RunConfig& config, conformance::OwnTarget* own)
    : config_(config), dpdk_(config, kArenaBytes), board_port_(config.boards.front().endpoint.port) {
  for (std::size_t p = 0; p < config.ports.size(); ++p)
    maps_.push_back(std::make_unique<dataplane::PortMap>(1));
  const config::ConformanceConfig& c = *config.conformance;
  const config::EndpointConfig& board = config.boards.front().endpoint;
  engine::Identity identity = identity_of(board);
  add_prober(first_, identity);
  for (const config::Neighbour& n : board.neighbours) first_->host().neighbours().set_static(n.ip, n.mac);
  if (c.second_ip) {
    identity.ip = *c.second_ip;
    add_prober(second_, identity);
  }
  if (c.ip6) {
    identity.ip = c.ip6->ip;
    identity.prefix_length = c.ip6->length;
    identity.gateway.reset();
    v6_identity_ = identity;
    add_prober(v6_, identity);
  }
  if (own != nullptr) maps_[config.receivers.front().endpoint.port]->add(own->receiver(), 0);
  for (std::size_t p = 0; p < config.ports.size(); ++p) add_port(p);
  dpdk_.wait_for_links(config.run.connect_timeout, config.run.quiet);
  polled_ = now();
  cpu_time_ = thread_cpu_time();
}

ConformanceWire::~ConformanceWire() = default;

void ConformanceWire::add_prober(std::unique_ptr<conformance::Prober>& prober,
                                 const engine::Identity& identity) {
  prober = std::make_unique<conformance::Prober>(identity);
  if (maps_[board_port_]->add(*prober, 0)) return;
  throw config::ConfigError({{config_.conformance->where, "an address of the board is used twice",
                              "choose another `second_ip` or `ip6`"}});
}

void ConformanceWire::add_port(std::size_t index) {
  runtime::RunPort& port = dpdk_.ports()[index];
  dataplane::TxBuilderConfig b;
  b.multi_segments = false;  // copy frames into mbufs, because the Prober's frames are not in DPDK memory
  b.frame_bytes = port.frame_bytes;
  b.descriptors = config_.ports[index].tx_descriptors;
  b.held = runtime::kHeldPackets;
  b.lcores = static_cast<unsigned>(config_.workers.count) + 1;
  b.socket = port.port->capabilities().socket;
  builders_.push_back(std::make_unique<dataplane::TxBuilder>(b, &dpdk_.arena(), dpdk_.pools()));
  dataplane::PortQueueConfig q;
  q.port = port.port->id();
  for (std::uint16_t k = 0; k < port.queues; ++k) q.rx_queues.push_back(k);
  q.burst = config_.workers.burst;
  dataplane::PortQueue::Deps deps;
  deps.map = maps_[index].get();
  deps.builder = builders_.back().get();
  queues_.push_back(std::make_unique<dataplane::PortQueue>(q, deps));
}

Time ConformanceWire::poll() {
  const Time at = now();
  for (const auto& queue : queues_) {
    queue->wake();
    queue->run(at);
  }
  dpdk_.follow_clocks();
  const Time cpu = thread_cpu_time();
  const Time ran = cpu - std::exchange(cpu_time_, cpu);
  const Time passed = at - std::exchange(polled_, at);
  return passed > ran ? passed - ran : 0;
}

std::vector<conformance::Answer> ConformanceWire::take_answers() {
  std::vector<conformance::Answer> all;
  for (conformance::Prober* prober : {first_.get(), second_.get(), v6_.get()}) {
    if (prober == nullptr) continue;
    for (conformance::Answer& answer : prober->take_answers()) all.push_back(std::move(answer));
  }
  return all;
}

std::uint64_t ConformanceWire::dropped() const {
  std::uint64_t sum = 0;
  for (const runtime::RunPort& port : dpdk_.ports()) {
    const dataplane::PortCounters c = port.port->counters();
    sum += c.rx_missed + c.rx_no_mbuf;
  }
  return sum;
}

roce::MacAddress ConformanceWire::resolve(const roce::IpAddress& ip) {
  conformance::Prober& prober = ip.is_v4() || !v6_ ? *first_ : *v6_;
  const roce::IpAddress hop = prober.identity().next_hop(ip);
  const Time end = saturating_add(now(), config_.run.connect_timeout);
  for (Time next = 0; now() < end && runtime::stop_signals() == 0; poll()) {
    if (const auto mac = prober.host().neighbours().find(hop, now())) return *mac;
    if (now() < next) continue;
    prober.resolve(hop);
    next = now() + kResolveInterval;
  }
  throw dataplane::EnvironmentError(
      "no MAC address for " + hop.to_string() + ": nothing answered ARP or neighbour discovery",
      "check the cable, the VLAN and the addresses, or add the address to `neighbours` of the board");
}

std::uint32_t ConformanceWire::largest_path_mtu() const {
  return dpdk_.ports()[board_port_].port->largest_path_mtu(false);
}

}  // namespace softfeb::experiment
