// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/device.hpp"
#include "roce/ip.hpp"

#include <cstdint>
#include <string>

namespace softfeb::dataplane {

using roce::MacAddress;

/// Capabilities of a port as reported by the driver, with corrections where the report is known to be
/// wrong.
struct Capabilities {
  std::string driver;
  MacAddress mac{};
  bool multi_segments = false;     ///< accepts chained mbufs with payload in the arena
  bool chains_announced = false;   ///< the driver announces RTE_ETH_TX_OFFLOAD_MULTI_SEGS
  bool send_on_timestamp = false;  ///< the driver announces RTE_ETH_TX_OFFLOAD_SEND_ON_TIMESTAMP
  bool rx_scatter = false;         ///< the driver announces RTE_ETH_RX_OFFLOAD_SCATTER
  /// Longest received frame in bytes, as reported by the driver. The report is wrong with MtuSource::kKernel.
  std::uint32_t max_rx_frame = 0;
  std::uint32_t min_mtu = 0;
  std::uint32_t max_mtu = 0;
  /// Current MTU in bytes: that of the port or, with MtuSource::kKernel, that of its kernel interface.
  std::uint32_t mtu = 0;
  MtuSource mtu_source = MtuSource::kPort;
  std::uint16_t max_rx_queues = 0;
  std::uint16_t max_tx_queues = 0;
  std::uint16_t max_rx_descriptors = 0;
  std::uint16_t max_tx_descriptors = 0;
  std::uint16_t max_tx_segments = 0;  ///< maximum number of segments per packet; 0 if not reported
  std::uint32_t max_mac_filters = 0;
  bool filters_mac = true;
  bool link_up = false;
  std::uint64_t link_bps = 0;    ///< bits per second; 0 if unknown
  int socket = -1;               ///< NUMA node; -1 if the device has none
  std::string kernel_interface;  ///< name of the kernel interface behind the port; empty if there is none
};

/// Queries an attached port. Throws EnvironmentError if it does not respond.
Capabilities probe_capabilities(const Device& device);

/// MTU of a kernel interface in bytes; 0 when it cannot be read.
std::uint32_t kernel_mtu(const std::string& interface);

}  // namespace softfeb::dataplane
