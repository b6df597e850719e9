// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/port.hpp"

#include "dataplane/error.hpp"
#include "dataplane/log_collector.hpp"

#include <algorithm>

#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

namespace softfeb::dataplane {
namespace {

constexpr std::uint32_t round_up(std::uint32_t n, std::uint32_t to) { return (n + to - 1) / to * to; }

/// True for drivers that may support receive interrupts. Only the start of the port shows whether the device
/// supports them.
bool may_interrupt(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kMemif:
    case DeviceKind::kTap:
    case DeviceKind::kVhost:
    case DeviceKind::kPci:
    case DeviceKind::kRaw:
      return true;
    case DeviceKind::kNull:
    case DeviceKind::kRing:
    case DeviceKind::kPcap:
    case DeviceKind::kAfPacket:
      break;
  }
  return false;
}

}  // namespace

Port::Port(const Device& device, PortConfig config, Mempools& pools)
    : device_(device), config_(std::move(config)), capabilities_(probe_capabilities(device)) {
  if (config_.name.empty()) config_.name = device.spec().text;
  const bool own = capabilities_.mtu_source != MtuSource::kNothing;
  wanted_mtu_ = config_.mtu.value_or(own ? capabilities_.mtu : mtu_for(4096, true));
  open(pools);
  apply_addresses();
  flow_control_ = apply_flow_control(id(), capabilities_.driver, config_.flow_control);
  if (!flow_control_.held) {
    rte_eth_dev_stop(id());
    throw EnvironmentError("port " + config_.name + ": " + flow_control_.in_words,
                           "set flow control to leave or off for this port");
  }
  apply_pacing();
}

void Port::open(Mempools& pools) {
  receive_interrupts_ = config_.receive_interrupts && may_interrupt(device_.spec().kind);
  if (receive_interrupts_) {
    try {
      start(pools);
      // A vhost port has descriptors only while a guest is connected.
      const bool later = device_.spec().kind == DeviceKind::kVhost;
      receive_interrupts_ = later || rte_eth_dev_rx_intr_ctl_q_get_fd(id(), 0) >= 0;
      return;
    } catch (const EnvironmentError&) {
      // Some drivers refuse to start a port if the configuration requests interrupts that the driver does not
      // support.
      receive_interrupts_ = false;
    }
  }
  start(pools);
}

void Port::start(Mempools& pools) {
  configure(pools);
  LogCollector log;
  if (const int status = rte_eth_dev_start(id()); status != 0)
    fail("does not start (" + log.one_line() + ")", status);
}

Port::~Port() {
  LogCollector log;
  rte_eth_dev_stop(id());
}

void Port::fail(const std::string& what, int status) const {
  throw EnvironmentError("port " + config_.name + ' ' + what + ": " + rte_strerror(-status),
                         "softfeb doctor shows what the port can do");
}

void Port::configure(Mempools& pools) {
  const Capabilities& c = capabilities_;
  const std::uint16_t most = std::min(c.max_rx_queues, c.max_tx_queues);
  if (config_.queues == 0 || config_.queues > most) {
    throw EnvironmentError("port " + config_.name + ": " + std::to_string(config_.queues) +
                               " queues asked, " + c.driver + " has " + std::to_string(most),
                           "use at most that many workers on this port");
  }
  rte_eth_conf conf{};
  if (c.mtu_source == MtuSource::kPort) {
    conf.rxmode.mtu = std::clamp(wanted_mtu_, std::max<std::uint32_t>(c.min_mtu, 68),
                                 std::max<std::uint32_t>(c.max_mtu, 68));
  }
  const bool scatter = config_.rx_buffer != 0 && config_.rx_buffer < frame_bytes_for(wanted_mtu_);
  if (scatter && !c.rx_scatter) {
    throw RequestError("port " + config_.name + ": receive buffers of " + std::to_string(config_.rx_buffer) +
                       " bytes are shorter than a frame and " + c.driver + " cannot scatter");
  }
  if (scatter) conf.rxmode.offloads |= RTE_ETH_RX_OFFLOAD_SCATTER;
  if (c.chains_announced) conf.txmode.offloads |= RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
  if (config_.pacing.way == Pacing::kTimestamp && c.send_on_timestamp)
    conf.txmode.offloads |= RTE_ETH_TX_OFFLOAD_SEND_ON_TIMESTAMP;
  conf.intr_conf.rxq = receive_interrupts_ ? 1 : 0;
  LogCollector log;
  int status = rte_eth_dev_configure(id(), config_.queues, config_.queues, &conf);
  if (status != 0) fail("cannot be configured (" + log.one_line() + ")", status);
  rx_descriptors_ = static_cast<std::uint16_t>(std::min<std::uint32_t>(config_.rx_descriptors, UINT16_MAX));
  tx_descriptors_ = static_cast<std::uint16_t>(std::min<std::uint32_t>(config_.tx_descriptors, UINT16_MAX));
  status = rte_eth_dev_adjust_nb_rx_tx_desc(id(), &rx_descriptors_, &tx_descriptors_);
  if (status != 0) fail("does not accept its descriptors (" + log.one_line() + ")", status);
  setup_queues(pools, conf.rxmode.offloads, conf.txmode.offloads);
  apply_mtu();
}

void Port::setup_queues(Mempools& pools, std::uint64_t rx_offloads, std::uint64_t tx_offloads) {
  rte_eth_dev_info info{};
  if (const int status = rte_eth_dev_info_get(id(), &info); status != 0) fail("does not respond", status);
  rte_eth_rxconf rx = info.default_rxconf;
  rx.offloads = rx_offloads;
  rte_eth_txconf tx = info.default_txconf;
  tx.offloads = tx_offloads;
  const bool own = capabilities_.mtu_source != MtuSource::kNothing;
  const std::uint32_t whole =
      round_up(frame_bytes_for(std::max(wanted_mtu_, own ? capabilities_.mtu : 0)), 64);
  const std::uint32_t wanted =
      config_.rx_buffer == 0 ? std::min<std::uint32_t>(whole, 16384) : config_.rx_buffer;
  const std::uint32_t room =
      std::max({wanted, device_.min_rx_room(), std::uint32_t{RTE_MBUF_DEFAULT_DATAROOM}});
  // net_ring and net_null do not fill receive buffers: net_ring delivers the sender's own mbufs, and net_null
  // delivers nothing.
  const bool fills_buffers =
      device_.spec().kind != DeviceKind::kRing && device_.spec().kind != DeviceKind::kNull;
  const std::uint32_t count =
      fills_buffers ? pool_size(rx_descriptors_ + config_.rx_held, config_.lcores) : 2 * kMempoolCache;
  for (std::uint16_t queue = 0; queue < config_.queues; ++queue) {
    if (rx_pools_.size() == queue) {
      rx_pools_.push_back(
          pools.create("the receive buffers of port " + config_.name, count, room, 0, capabilities_.socket));
    }
    rte_mempool* const pool = rx_pools_[queue];
    LogCollector log;
    int status = rte_eth_rx_queue_setup(id(), queue, rx_descriptors_,
                                        static_cast<unsigned>(capabilities_.socket), &rx, pool);
    if (status != 0)
      fail("cannot set up receive queue " + std::to_string(queue) + " (" + log.one_line() + ")", status);
    status = rte_eth_tx_queue_setup(id(), queue, tx_descriptors_, static_cast<unsigned>(capabilities_.socket),
                                    &tx);
    if (status != 0)
      fail("cannot set up transmit queue " + std::to_string(queue) + " (" + log.one_line() + ")", status);
  }
}

void Port::apply_mtu() {
  mtu_ = wanted_mtu_;
  const MtuSource source = capabilities_.mtu_source;
  if (source == MtuSource::kKernel || source == MtuSource::kFixed) mtu_ = capabilities_.mtu;
  std::uint16_t set = 0;
  if (capabilities_.mtu_source == MtuSource::kPort && rte_eth_dev_get_mtu(id(), &set) == 0) mtu_ = set;
  if (mtu_ < wanted_mtu_) {
    warnings_.push_back("MTU " + std::to_string(wanted_mtu_) + " was requested, " + std::to_string(mtu_) +
                        " is in use: path MTU up to " + std::to_string(largest_path_mtu(false)) + "; " +
                        mtu_fix(wanted_mtu_));
  }
}

std::string Port::mtu_fix(std::uint32_t wanted_mtu) const {
  const Capabilities& c = capabilities_;
  if (c.mtu_source == MtuSource::kKernel) {
    return "run ip link set " + c.kernel_interface + " mtu " + std::to_string(wanted_mtu) +
           " before starting";
  }
  if (c.mtu_source == MtuSource::kFixed) {
    return c.driver + " supports no larger MTU; use net_af_packet on a tap or veth";
  }
  if (c.mtu_source == MtuSource::kPort && c.max_mtu < wanted_mtu) {
    return c.driver + " allows at most " + std::to_string(c.max_mtu);
  }
  return "set the port's mtu to " + std::to_string(wanted_mtu);
}

LinkState Port::link() const {
  rte_eth_link link{};
  if (rte_eth_link_get_nowait(id(), &link) != 0) return {};
  const bool known = link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN;
  return {link.link_status == RTE_ETH_LINK_UP, known ? std::uint64_t{link.link_speed} * 1'000'000 : 0};
}

PortCounters Port::counters() const {
  rte_eth_stats s{};
  if (rte_eth_stats_get(id(), &s) != 0) return {};
  return {s.ipackets, s.ibytes, s.imissed, s.ierrors, s.rx_nombuf, s.opackets, s.obytes, s.oerrors};
}

std::vector<std::pair<std::string, std::uint64_t>> Port::extended_counters() const {
  std::vector<std::pair<std::string, std::uint64_t>> out;
  const int count = rte_eth_xstats_get_names(id(), nullptr, 0);
  if (count <= 0) return out;
  std::vector<rte_eth_xstat_name> names(static_cast<std::size_t>(count));
  std::vector<rte_eth_xstat> values(static_cast<std::size_t>(count));
  if (rte_eth_xstats_get_names(id(), names.data(), names.size()) != count) return out;
  if (rte_eth_xstats_get(id(), values.data(), values.size()) != count) return out;
  for (const rte_eth_xstat& v : values) {
    if (v.value != 0) out.emplace_back(names[v.id].name, v.value);
  }
  return out;
}

}  // namespace softfeb::dataplane
