// SPDX-License-Identifier: BSD-3-Clause
// Settings of a started port: flow control, pacing and addresses.
#include "dataplane/error.hpp"
#include "dataplane/port.hpp"

#include <algorithm>

#include <rte_ethdev.h>

namespace softfeb::dataplane {
namespace {

rte_eth_fc_mode dpdk_mode(FlowControl mode) {
  switch (mode) {
    case FlowControl::kRx:
      return RTE_ETH_FC_RX_PAUSE;
    case FlowControl::kTx:
      return RTE_ETH_FC_TX_PAUSE;
    case FlowControl::kFull:
      return RTE_ETH_FC_FULL;
    default:
      return RTE_ETH_FC_NONE;
  }
}

}  // namespace

std::string to_string(FlowControl mode) {
  switch (mode) {
    case FlowControl::kLeave:
      return "unchanged";
    case FlowControl::kOff:
      return "off";
    case FlowControl::kRx:
      return "rx";
    case FlowControl::kTx:
      return "tx";
    case FlowControl::kFull:
      return "full";
  }
  return "?";
}

FlowControlResult apply_flow_control(std::uint16_t port, const std::string& driver, FlowControl wanted) {
  if (wanted == FlowControl::kLeave) return {true, to_string(wanted)};
  rte_eth_fc_conf conf{};
  // Read the current configuration first, to keep the NIC's watermarks.
  int status = rte_eth_dev_flow_ctrl_get(port, &conf);
  if (status == 0 || status == -ENOTSUP) {
    conf.mode = dpdk_mode(wanted);
    status = rte_eth_dev_flow_ctrl_set(port, &conf);
  }
  if (status == 0) return {true, to_string(wanted)};
  if (status == -ENOTSUP) {
    // The port has no flow control, so "off" is already in effect.
    return {wanted == FlowControl::kOff,
            wanted == FlowControl::kOff ? "off (" + driver + " has none)" : driver + " has no flow control"};
  }
  return {false, driver + " refuses flow control " + to_string(wanted) + ": " + rte_strerror(-status)};
}

bool forward_pause_frames(std::uint16_t port) {
  rte_eth_fc_conf conf{};
  if (rte_eth_dev_flow_ctrl_get(port, &conf) != 0) return false;
  conf.mac_ctrl_frame_fwd = 1;
  return rte_eth_dev_flow_ctrl_set(port, &conf) == 0;
}

/// Applies the requested pacing. Stops the port and throws if the port does not support it.
void Port::apply_pacing() {
  if (config_.pacing.way == Pacing::kSoftware) return;
  try {
    if (const auto refusal = refuse_pacing(config_.name, config_.pacing.way, probe_pacing(id())))
      throw EnvironmentError(refusal->reason, refusal->fix);
    if (config_.pacing.way == Pacing::kQueueRate) limit_queues(id(), config_.name, config_.pacing);
  } catch (const EnvironmentError&) {
    rte_eth_dev_stop(id());
    throw;
  }
}

void Port::apply_addresses() {
  // IPv6 neighbour solicitations are multicast. Ports without allmulticast need promiscuous mode or static
  // neighbours.
  (void)rte_eth_allmulticast_enable(id());
  bool all_filtered = true;
  if (config_.promiscuous != Promiscuous::kOn && capabilities_.filters_mac) {
    for (const MacAddress& mac : config_.macs) {
      if (mac == capabilities_.mac) continue;
      rte_ether_addr address{};
      std::copy(mac.begin(), mac.end(), address.addr_bytes);
      if (rte_eth_dev_mac_addr_add(id(), &address, 0) != 0) all_filtered = false;
    }
  }
  if (config_.promiscuous == Promiscuous::kOff) {
    if (!all_filtered) {
      warnings_.emplace_back(
          "the port cannot filter for all boards' MAC addresses and promiscuous mode is off: "
          "packets to some of them will not arrive");
    }
    return;
  }
  if (config_.promiscuous == Promiscuous::kAuto && (all_filtered || !capabilities_.filters_mac)) return;
  const int status = rte_eth_promiscuous_enable(id());
  promiscuous_ = status == 0;
  if (status != 0 && capabilities_.filters_mac) {
    warnings_.push_back(std::string("cannot enable promiscuous mode (") + rte_strerror(-status) +
                        "): packets to MAC addresses other than " + roce::to_string(capabilities_.mac) +
                        " may not arrive; it needs CAP_NET_ADMIN");
  }
}

}  // namespace softfeb::dataplane
