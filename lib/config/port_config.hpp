// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "config/values.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace softfeb::config {

enum class DeviceKind : std::uint8_t {
  kNull,      ///< net_null: what is sent vanishes
  kRing,      ///< net_ring:LINK: one end of an in-process link; exactly two ports name the same LINK
  kMemif,     ///< net_memif:SOCKET[,client|server]
  kPcap,      ///< net_pcap:tx_pcap=FILE[,rx_pcap=FILE]
  kAfPacket,  ///< net_af_packet:IFACE
  kTap,       ///< net_tap:NAME
  kVhost,     ///< net_vhost:SOCKET[,client|server]
  kPci,       ///< a physical device by PCI address
  kDevargs,   ///< anything else, handed to DPDK as it stands (net_foo0,key=value,…)
};

/// The device of a port as far as the configuration's own checks need it; the data plane takes `text` apart.
struct Device {
  DeviceKind kind = DeviceKind::kNull;
  std::string text;  ///< as the file has it
  std::string
      name;  ///< what stands between the colon and the first comma: link, interface, socket; PCI address
};

enum class FlowControl : std::uint8_t { kOff, kRx, kTx, kFull, kLeave };
enum class Promiscuous : std::uint8_t { kAuto, kOn, kOff };
/// kAuto: the highest tier the port validates; kOff: the software classifier alone (T1).
enum class Steering : std::uint8_t { kAuto, kOff, kT2, kT3 };
/// kAuto: payload attached without a copy where the port takes multi-segment packets. kOne: always copied.
enum class TxSegments : std::uint8_t { kAuto, kOne };
/// Who holds packets back (doc/pacing-offloads.md): the worker; the NIC's queues, each at the sum of its
/// boards' link rates; the NIC, each packet until the time written in it.
enum class Pacing : std::uint8_t { kSoftware, kQueueRate, kTimestamp };

/// Faults made on purpose at this port, reproducible by seed. Each packet is judged by itself.
struct FaultConfig {
  std::uint64_t seed = 1;
  Probability tx_drop, rx_drop;
  Probability tx_corrupt;    ///< one bit of the frame after the Ethernet header flipped, in a copy
  Probability tx_duplicate;  ///< sent twice
  Probability tx_reorder;    ///< held back until the next packet has left
  Probability tx_mark_ce;    ///< ECN field set to CE on ECN-capable packets, as a congested switch does
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
  std::uint64_t packets = 10'000;  ///< at most this many are kept
  CaptureTrigger on =
      CaptureTrigger::kStart;      ///< kError: the last packets before the first error, and what follows
  std::uint32_t snaplen = 65'535;  ///< bytes kept of each packet
  CaptureDirection direction = CaptureDirection::kBoth;
  Where where;
};

struct PortConfig {
  std::string name;
  Device device;
  /// L3 bytes (IP packet), as DPDK and Linux count it. Not given: the device's own stays.
  std::optional<std::uint32_t> mtu;
  FlowControl flow_control = FlowControl::kLeave;
  Promiscuous promiscuous = Promiscuous::kAuto;
  Steering steering = Steering::kAuto;
  TxSegments tx_segments = TxSegments::kAuto;
  Pacing pacing = Pacing::kSoftware;
  Time pacing_horizon =
      20 * kMicrosecond;                ///< kTimestamp: how long after its schedule's time a packet leaves
  std::uint16_t rx_descriptors = 1024;  ///< wished for; the device's limits adjust them
  std::uint16_t tx_descriptors = 1024;
  FaultConfig faults;
  std::optional<CaptureConfig> capture;
  Where where;
};

}  // namespace softfeb::config
