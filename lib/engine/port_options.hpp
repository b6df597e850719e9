// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

/// Options of ports and workers. lib/config parses these options and lib/dataplane applies them. They are
/// defined in this lower layer so that both can include them.
namespace softfeb::engine {

/// Kinds of port devices. The comments show how the configuration selects each kind. In the forms with a
/// colon, the part between the colon and the first comma is the name of the device.
enum class DeviceKind : std::uint8_t {
  kNull,      ///< net_null; discards the packets sent
  kRing,      ///< net_ring:LINK: one end of an in-process link; exactly two ports have the same LINK
  kMemif,     ///< net_memif:SOCKET[,client|server]
  kPcap,      ///< net_pcap:tx_pcap=FILE[,rx_pcap=FILE]
  kAfPacket,  ///< net_af_packet:IFACE
  kTap,       ///< net_tap:NAME
  kVhost,     ///< net_vhost:SOCKET[,client|server]
  kPci,       ///< a physical device by PCI address
  kRaw,       ///< anything else, passed to DPDK unchanged (net_foo0,key=value,…)
};

enum class HugePages : std::uint8_t {
  kAuto,  ///< use huge pages if enough are free, otherwise 4 KiB pages
  kNo,    ///< use no huge pages
};

/// Behaviour of a worker after an iteration in which no packet was received or sent.
enum class IdlePolicy : std::uint8_t {
  kSpin,   ///< poll again immediately
  kPause,  ///< execute a pause instruction, which yields to the other hardware thread of the core
  /// Sleep until the next event, for at most 50 µs. After 0.5 ms without packets, wait for a signal if all
  /// ports of the worker provide a signal (IdleWait); otherwise sleep for at most 150 µs. Meant for machines
  /// with fewer CPUs than threads.
  kSleep,
};

/// Link-level flow control (IEEE 802.3x pause) of the NIC. PFC is configured in the switch and the NIC, not
/// here.
enum class FlowControl : std::uint8_t {
  kLeave,  ///< keep the NIC's setting
  kOff,
  kRx,  ///< honour pause frames
  kTx,  ///< send pause frames
  kFull,
};

enum class Promiscuous : std::uint8_t {
  kAuto,  ///< promiscuous mode is enabled only if the port's MAC filter cannot hold all boards' addresses
  kOn,
  kOff,
};

/// Method of selecting the receive queue of a packet.
enum class SteeringTier : std::uint8_t {
  kSoftware = 1,  ///< T1: no rule; all packets arrive at queue 0
  kUdp = 2,       ///< T2: board address and UDP port 4791 → queue
  kBth = 3,       ///< T3: board address and DestQP in the BTH → queue
};

/// Mechanism that delays packets until their departure time (doc/pacing-offloads.md).
enum class Pacing : std::uint8_t {
  kSoftware,   ///< the worker passes each packet to the port when it is due
  kQueueRate,  ///< the NIC limits each queue to a rate: the sum of the link rates of the queue's boards
  kTimestamp,  ///< packets are passed to the NIC in advance, and the NIC sends each at its timestamp
};

enum class CaptureMode : std::uint8_t {
  kFirst,  ///< record the first packets
  /// Record the last packets before the first error and some after it. Without an error, record nothing.
  kOnError,
};

}  // namespace softfeb::engine
