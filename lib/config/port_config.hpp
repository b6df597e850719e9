// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "config/values.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace softfeb::config {

enum class DeviceKind : std::uint8_t {
  kNull,      ///< net_null: packets sent are discarded
  kRing,      ///< net_ring:LINK: one end of an in-process link; exactly two ports have the same LINK
  kMemif,     ///< net_memif:SOCKET[,client|server]
  kPcap,      ///< net_pcap:tx_pcap=FILE[,rx_pcap=FILE]
  kAfPacket,  ///< net_af_packet:IFACE
  kTap,       ///< net_tap:NAME
  kVhost,     ///< net_vhost:SOCKET[,client|server]
  kPci,       ///< a physical device by PCI address
  kDevargs,   ///< anything else, passed to DPDK unchanged (net_foo0,key=value,…)
};

/// Device of a port, parsed as far as the configuration checks need it. The data plane parses `text`.
struct Device {
  DeviceKind kind = DeviceKind::kNull;
  std::string text;  ///< as written in the file
  /// Text between the colon and the first comma: link, interface or socket; or the PCI address.
  std::string name;
};

enum class FlowControl : std::uint8_t { kOff, kRx, kTx, kFull, kLeave };
enum class Promiscuous : std::uint8_t { kAuto, kOn, kOff };
/// kAuto: highest tier that the port validates. kOff: software classifier only (T1).
enum class Steering : std::uint8_t { kAuto, kOff, kT2, kT3 };
/// kAuto: zero-copy payload if the port supports multi-segment packets. kOne: always copied.
enum class TxSegments : std::uint8_t { kAuto, kOne };
/// Where packets are paced (doc/pacing-offloads.md): by the worker; by NIC queues, each limited to the sum of
/// its boards' link rates; or by the NIC, which sends each packet at its timestamp.
enum class Pacing : std::uint8_t { kSoftware, kQueueRate, kTimestamp };

/// Fault injection at this port, reproducible by seed. Faults are drawn independently for each packet.
struct FaultConfig {
  std::uint64_t seed = 1;
  Probability tx_drop, rx_drop;
  Probability tx_corrupt;    ///< flips one bit after the Ethernet header, in a copy of the frame
  Probability tx_duplicate;  ///< sends the packet twice
  Probability tx_reorder;    ///< delays the packet until the next one has left
  Probability tx_mark_ce;    ///< sets CE on ECN-capable packets, as a congested switch does
  Where where;

  bool any() const {
    return (tx_drop.billionths | rx_drop.billionths | tx_corrupt.billionths | tx_duplicate.billionths |
            tx_reorder.billionths | tx_mark_ce.billionths) != 0;
  }
};

enum class CaptureTrigger : std::uint8_t { kStart, kError };
enum class CaptureDirection : std::uint8_t { kBoth, kRx, kTx };

/// A bounded capture to a pcap file.
struct CaptureConfig {
  std::string file;
  std::uint64_t packets = 10'000;  ///< maximum number of packets in the file
  /// kError: captures the last packets before the first error, and those after it.
  CaptureTrigger on = CaptureTrigger::kStart;
  std::uint32_t snaplen = 65'535;  ///< bytes captured of each packet
  CaptureDirection direction = CaptureDirection::kBoth;
  Where where;
};

struct PortConfig {
  std::string name;
  Device device;
  /// MTU of IP packets in bytes, as in DPDK and Linux. None: the device's MTU is unchanged.
  std::optional<std::uint32_t> mtu;
  FlowControl flow_control = FlowControl::kLeave;
  Promiscuous promiscuous = Promiscuous::kAuto;
  Steering steering = Steering::kAuto;
  TxSegments tx_segments = TxSegments::kAuto;
  Pacing pacing = Pacing::kSoftware;
  /// kTimestamp: delay from a packet's scheduled time to its departure.
  Time pacing_horizon = 20 * kMicrosecond;
  std::uint16_t rx_descriptors = 1024;  ///< requested; adjusted to the device's limits
  std::uint16_t tx_descriptors = 1024;
  FaultConfig faults;
  std::optional<CaptureConfig> capture;
  Where where;
};

}  // namespace softfeb::config
