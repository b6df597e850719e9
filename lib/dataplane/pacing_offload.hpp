// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Who holds packets back until their time: the worker, or the NIC (doc/pacing-offloads.md).
namespace softfeb::dataplane {

enum class Pacing : std::uint8_t {
  kSoftware,   ///< the worker: a packet is handed over when its time has come
  kQueueRate,  ///< the NIC holds each queue to a rate: the links of the queue's boards together
  kTimestamp,  ///< packets are handed over ahead, each with its time, and the NIC waits for it
};
std::string to_string(Pacing way);

struct PacingConfig {
  Pacing way = Pacing::kSoftware;
  Time horizon = 20 * kMicrosecond;        ///< kTimestamp: a packet leaves so long after its schedule's time
  std::vector<std::uint64_t> queue_rates;  ///< kQueueRate: bytes per second on the wire, of each TX queue
};

/// What a port's driver can do of it.
struct PacingAbilities {
  std::string driver;
  bool send_on_timestamp = false;  ///< announces RTE_ETH_TX_OFFLOAD_SEND_ON_TIMESTAMP
  bool device_clock = false;       ///< its clock can be read (rte_eth_read_clock)
  bool queue_rate = false;         ///< takes rte_eth_set_queue_rate_limit
};

/// Asks a started port. A driver that limits queues is told "no limit" for its first one, as after the start.
PacingAbilities probe_pacing(std::uint16_t port);

/// What a port lacks for `wanted`, in words, and the fix; none: it can. `port` is its name.
struct PacingRefusal {
  std::string reason;
  std::string fix;
};
std::optional<PacingRefusal> refuse_pacing(const std::string& port, Pacing wanted,
                                           const PacingAbilities& abilities);
/// For `softfeb doctor`: "queue_rate: net_null has none; timestamp: …".
std::string pacing_text(const PacingAbilities& abilities);

/// The whole Mb/s that do not hold back what was asked for.
std::uint32_t queue_rate_mbps(std::uint64_t bytes_per_second);

/// Limits the queues of a started port. Throws EnvironmentError.
void limit_queues(std::uint16_t port, const std::string& name, const PacingConfig& config);

}  // namespace softfeb::dataplane
