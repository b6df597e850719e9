// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/capabilities.hpp"

#include "dataplane/error.hpp"

#include <algorithm>
#include <fstream>
#include <string_view>

#include <net/if.h>
#include <rte_ethdev.h>

namespace softfeb::dataplane {
namespace {

std::string interface_name(const Device& device, unsigned if_index) {
  std::array<char, IF_NAMESIZE> name{};
  if (if_index != 0 && if_indextoname(if_index, name.data()) != nullptr) return name.data();
  const bool named = device.spec().kind == DeviceKind::kAfPacket || device.spec().kind == DeviceKind::kTap;
  return named ? device.spec().argument : std::string();
}

void fill_link(Capabilities& c, std::uint16_t port) {
  rte_eth_link link{};
  if (rte_eth_link_get_nowait(port, &link) != 0) return;
  c.link_up = link.link_status == RTE_ETH_LINK_UP;
  c.link_bps = link.link_speed == RTE_ETH_SPEED_NUM_UNKNOWN ? 0 : std::uint64_t{link.link_speed} * 1'000'000;
}

}  // namespace

std::uint32_t kernel_mtu(const std::string& interface) {
  std::uint32_t mtu = 0;
  std::ifstream("/sys/class/net/" + interface + "/mtu") >> mtu;
  return mtu;
}

Capabilities probe_capabilities(const Device& device) {
  const std::uint16_t port = device.port_id();
  rte_eth_dev_info info{};
  if (const int status = rte_eth_dev_info_get(port, &info); status != 0) {
    throw EnvironmentError("device '" + device.spec().text + "' does not respond: " + rte_strerror(-status),
                           "check its driver with softfeb doctor");
  }
  Capabilities c;
  c.driver = info.driver_name;
  rte_ether_addr mac{};
  if (rte_eth_macaddr_get(port, &mac) == 0) std::copy_n(mac.addr_bytes, c.mac.size(), c.mac.begin());
  c.chains_announced = (info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS) != 0;
  // The peer of a virtio-user port maps only DPDK's own memory, so payloads elsewhere must be copied.
  const bool sees_arena = std::string_view(info.driver_name) != "net_virtio_user";
  c.multi_segments = (c.chains_announced || device.traits().takes_chains) && sees_arena;
  c.send_on_timestamp = (info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_SEND_ON_TIMESTAMP) != 0;
  c.rx_scatter = (info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER) != 0;
  c.max_rx_frame = info.max_rx_pktlen;
  c.min_mtu = info.min_mtu;
  c.max_mtu = info.max_mtu;
  c.mtu_source = device.traits().mtu;
  c.kernel_interface = interface_name(device, info.if_index);
  std::uint16_t mtu = 0;
  if (rte_eth_dev_get_mtu(port, &mtu) == 0) c.mtu = mtu;
  if (c.mtu_source == MtuSource::kKernel) {
    if (const std::uint32_t real = kernel_mtu(c.kernel_interface); real != 0) c.mtu = real;
  }
  c.max_rx_queues = info.max_rx_queues;
  c.max_tx_queues = info.max_tx_queues;
  c.max_rx_descriptors = info.rx_desc_lim.nb_max;
  c.max_tx_descriptors = info.tx_desc_lim.nb_max;
  c.max_tx_segments = info.tx_desc_lim.nb_mtu_seg_max == UINT16_MAX ? 0 : info.tx_desc_lim.nb_mtu_seg_max;
  c.max_mac_filters = info.max_mac_addrs;
  c.filters_mac = device.traits().filters_mac;
  c.socket = rte_eth_dev_socket_id(port);
  fill_link(c, port);
  return c;
}

}  // namespace softfeb::dataplane
