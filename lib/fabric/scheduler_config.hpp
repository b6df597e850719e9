// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace softfeb::fabric {

/// Guaranteed and maximum rate of a queue, in bytes per second as the scheduler counts them
/// (SchedulerConfig::overhead).
struct QueueRates {
  /// Guaranteed rate: up to this rate, the queue is served before all other queues. 0 means that there is no
  /// guarantee.
  std::uint64_t min = 0;
  std::uint64_t max = 0;         ///< 0 means unlimited
  std::uint64_t burst = 16'384;  ///< number of bytes by which the queue may be ahead of each of these rates

  bool any() const { return (min | max) != 0; }
};

/// How the ports of a switch choose the queue that sends next.
struct SchedulerConfig {
  static constexpr std::uint32_t kMaxOverhead = 256;
  /// Limit of port_burst and of QueueRates::burst, in bytes.
  static constexpr std::uint64_t kMaxBurst = std::uint64_t{1} << 30;

  /// If this is true, a weight is a number of packets per round (weighted round robin). If it is false,
  /// weights are shares of bytes (deficit round robin).
  bool by_packets = false;
  /// Bytes that are counted for each frame in addition to the frame's length without FCS, which counts as at
  /// least 60 bytes. With 24, all bytes on the wire count: FCS, preamble, start delimiter and gap.
  std::uint32_t overhead = 24;
  std::uint64_t port_rate = 0;        ///< maximum rate of each port; 0 means the rate of the port's link
  std::uint64_t port_burst = 16'384;  ///< number of bytes by which a port may be ahead of port_rate
};

}  // namespace softfeb::fabric
