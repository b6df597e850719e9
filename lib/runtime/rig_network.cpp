// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/rig_network.hpp"

#include "runtime/network_setup.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace softfeb::runtime {

namespace {

/// Number of frames that a ring can hold. It exceeds the default, so that a ring has room for the frames that
/// arrive while a loop does not run for 1 ms.
constexpr std::uint16_t kRingPackets = 4096;
constexpr std::uint32_t kMostRigFrames = 1U << 17;

config::PortConfig ring_port(const std::string& name, const std::string& link, std::uint32_t mtu) {
  config::PortConfig port;
  port.name = name;
  port.device = {config::DeviceKind::kRing, "net_ring:" + link, link};
  port.mtu = mtu;
  port.rx_descriptors = port.tx_descriptors = kRingPackets;
  return port;
}

}  // namespace

config::LabConfig with_station_rings(config::LabConfig lab) {
  lab.run.ports.clear();
  lab.rings.clear();
  lab.port_stations.clear();
  const auto stations = static_cast<std::uint32_t>(lab.network.stations.size());
  for (std::uint32_t i = 0; i < stations; ++i)
    lab.run.ports.push_back(ring_port(lab.network.stations[i].name, "station" + std::to_string(i), lab.mtu));
  for (std::uint32_t i = 0; i < stations; ++i) {
    lab.port_stations.emplace_back(i, lab.run.ports.size());
    lab.run.ports.push_back(
        ring_port("network-" + lab.network.stations[i].name, "station" + std::to_string(i), lab.mtu));
  }
  return lab;
}

std::uint32_t rig_frames(const config::LabConfig& lab) {
  std::uint64_t bytes = 0;
  for (const fabric::SwitchConfig& s : lab.network.switches) bytes += s.buffer;
  const std::uint64_t frames = network_frames(lab) + bytes / switchtest::kSmallestUdpFrame;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(frames, kMostRigFrames));
}

RigNetwork::RigNetwork(const config::LabConfig& lab, DpdkRuntime& dpdk)
    : worker_(dpdk.lcore(static_cast<unsigned>(lab.network_worker)), dataplane::IdlePolicy::kPause,
              dpdk.clock().clock(), &dpdk.clock().updates()) {
  dataplane::NetworkRelayConfig settings = network_settings(lab, dpdk);
  settings.frames = rig_frames(lab);
  dpdk.for_worker(lab.network_worker, [&] {
    worker_.set_network(std::make_unique<dataplane::NetworkRelay>(settings, lab.network, dpdk.pools()));
  });
  request_.network = worker_.network()->make_snapshot();
  worker_.launch();
}

RigNetwork::~RigNetwork() {
  while (!worker_.command(dataplane::Quit{})) std::this_thread::sleep_for(std::chrono::microseconds(100));
  worker_.join();
}

void RigNetwork::request(const std::function<void()>& wait) {
  request_.done.store(false, std::memory_order_relaxed);
  while (!worker_.command(&request_)) wait();
  while (!request_.done.load(std::memory_order_acquire)) wait();
}

/// Requests the network's state twice. If the worker was preempted before its first answer, the worker
/// records the gap only in its next iteration. Only the second answer then contains the gap. With a single
/// answer, a network that was preempted would look like a switch that lost all frames.
void RigNetwork::observe(const std::function<void()>& wait) {
  request(wait);
  const Time gap = request_.longest_gap;
  request(wait);
  now_ = state();
  now_.longest_gap = std::max(now_.longest_gap, gap);
}

RigNetwork::State RigNetwork::state() const {
  const dataplane::NetworkRelayCounters& relay = request_.relay;
  const fabric::NetworkTotals& totals = request_.network->totals;
  std::uint64_t in_switches = 0;
  for (const fabric::PortSnapshot& port : request_.network->ports) in_switches += port.dropped;
  State out;
  // Also count frames dropped because the queue of a station was full, that is, outside the switches.
  out.lost = relay.rx_stranger + relay.rx_unusable + relay.tx_dropped + totals.dropped_store +
             (totals.dropped_buffer - in_switches);
  out.held_up = relay.held_up;
  out.rx_packets = relay.rx_packets;
  out.tx_packets = relay.tx_packets;
  out.inside = totals.in_network + relay.tx_waiting;
  out.longest_gap = request_.longest_gap;
  return out;
}

void RigNetwork::add_to(switchtest::RigFaults& faults) const {
  faults.network_lost += now_.lost - before_.lost;
  faults.network_full += now_.held_up - before_.held_up;
  faults.network_gap = std::max(faults.network_gap, now_.longest_gap);
}

bool RigNetwork::empty(std::uint64_t sent, std::uint64_t received) const {
  return now_.inside == 0 && now_.rx_packets == sent && now_.tx_packets == received;
}

}  // namespace softfeb::runtime
