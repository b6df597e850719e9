// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/network_balance.hpp"

#include "runtime/network_setup.hpp"

#include <fmt/format.h>

namespace softfeb::experiment {

namespace {

/// The user is told about late iterations of the network's worker if more than this share of its busy
/// iterations were late.
constexpr double kSayLate = 0.01;

/// Number of frames that port queues received from the rings but passed to no endpoint.
std::uint64_t lost_at_port_queues(const config::LabConfig& lab, const runtime::DpdkRuntime& dpdk,
                                  const runtime::WorkerPool& pool) {
  std::uint64_t lost = 0;
  for (const config::LabRing& ring : lab.rings) {
    const std::uint16_t port = dpdk.ports()[ring.near_port].port->id();
    for (const auto& port_queue : pool.workers()[ring.worker]->port_queues()) {
      if (port_queue->port() == port)
        lost += port_queue->counters().rx_nobody + port_queue->counters().rx_malformed;
    }
  }
  return lost;
}

}  // namespace

lab::Edge edge_of(const config::LabConfig& lab, const runtime::DpdkRuntime& dpdk,
                  const runtime::WorkerPool& pool, const stats::Outcome& o) {
  const dataplane::NetworkRelayCounters& c = o.workers[lab.network_worker].network;
  return {.ports_in = c.rx_outside,
          .ports_out = c.tx_outside,
          .lost_in = c.rx_stranger + c.rx_unusable,
          .lost_out = lost_at_port_queues(lab, dpdk, pool) + c.tx_dropped + c.tx_waiting};
}

lab::Balance ring_balance(const config::LabConfig& lab, const runtime::DpdkRuntime& dpdk) {
  lab::Balance b{"rings_conserved", "put into rings", "taken out of rings", 0, 0};
  for (const config::LabRing& ring : lab.rings) {
    const dataplane::PortCounters near = dpdk.ports()[ring.near_port].port->counters();
    const dataplane::PortCounters far = dpdk.ports()[ring.far_port].port->counters();
    b.left += near.tx_packets + far.tx_packets;
    b.right += far.rx_packets + near.rx_packets;
  }
  return b;
}

std::vector<std::string> lateness_lines(const config::LabConfig& lab, const stats::Outcome& o) {
  std::vector<std::string> lines;
  const dataplane::WorkerStats& w = o.workers[lab.network_worker];
  const double turns = static_cast<double>(w.loop.busy_turns);
  const double share = turns > 0 ? static_cast<double>(w.network.overruns) / turns : 0;
  if (share > kSayLate) {
    lines.push_back(fmt::format(
        "worker {} fell behind its network: {:.1f} % of its busy iterations were more than {:g} us "
        "late (worst "
        "{:.3f} ms, {:.1f} us on average); queues and delays are that much longer",
        lab.network_worker, 100 * share, to_seconds(dataplane::NetworkRelayCounters::kLate) * 1e6,
        to_seconds(w.network.latest) * 1e3,
        to_seconds(w.network.late) / static_cast<double>(w.network.overruns) * 1e6));
  }
  if (w.network.held_up != 0) {
    lines.push_back(
        fmt::format("packets stayed in the rings in {} iterations: all {} frames of the network "
                    "were in use, and boards had to wait",
                    w.network.held_up, runtime::network_frames(lab)));
  }
  for (std::size_t i = 0; i < o.workers.size(); ++i) {
    const dataplane::LoopCounters& loop = o.workers[i].loop;
    const double preempted =
        loop.ran == 0 ? 0 : static_cast<double>(loop.preempted) / static_cast<double>(loop.ran);
    if (preempted < 0.01) continue;
    lines.push_back(fmt::format("worker {} was preempted for {:.1f} % of the time (longest gap {:.1f} ms)", i,
                                100 * preempted, to_seconds(loop.longest_gap) * 1e3));
  }
  return lines;
}

}  // namespace softfeb::experiment
