// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "engine/port_options.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Selects what delays packets until their departure time: the worker or the NIC (doc/pacing-offloads.md).
namespace softfeb::dataplane {

using engine::Pacing;
std::string to_string(Pacing way);

struct PacingConfig {
  Pacing way = Pacing::kSoftware;
  /// For kTimestamp: delay from a packet's scheduled time to its departure.
  Time horizon = 20 * kMicrosecond;
  /// For kQueueRate: rate of each TX queue in bytes per second on the wire; 0 if unlimited.
  std::vector<std::uint64_t> queue_rates;
};

/// Pacing capabilities of a port's driver.
struct PacingAbilities {
  std::string driver;
  bool send_on_timestamp = false;  ///< the driver announces RTE_ETH_TX_OFFLOAD_SEND_ON_TIMESTAMP
  bool device_clock = false;       ///< the NIC's clock can be read (rte_eth_read_clock)
  bool queue_rate = false;         ///< the driver supports rte_eth_set_queue_rate_limit()
};

/// Probes a started port. To test for rate limiting, this function sets queue 0 to "no limit", which a
/// started port already has.
PacingAbilities probe_pacing(std::uint16_t port);

/// The reason why a port does not support the requested pacing, and the fix. refuse_pacing() returns nullopt
/// if the port supports this pacing; `port` is the port's name.
struct PacingRefusal {
  std::string reason;
  std::string fix;
};
std::optional<PacingRefusal> refuse_pacing(const std::string& port, Pacing wanted,
                                           const PacingAbilities& abilities);
/// Text for `softfeb doctor`: "software; queue_rate: net_null does not support queue rate limits; timestamp:
/// …".
std::string pacing_text(const PacingAbilities& abilities);

/// Converts a rate to whole Mb/s. Rounds up, so that the limit is not below the requested rate.
std::uint32_t queue_rate_mbps(std::uint64_t bytes_per_second);

/// Limits the rates of the queues of a started port. Throws EnvironmentError.
void limit_queues(std::uint16_t port, const std::string& name, const PacingConfig& config);

}  // namespace softfeb::dataplane
