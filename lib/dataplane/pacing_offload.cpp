// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/pacing_offload.hpp"

#include "base/error.hpp"
#include "dataplane/log_collector.hpp"

#include <rte_errno.h>
#include <rte_ethdev.h>

namespace softfeb::dataplane {
namespace {

std::string software_instead(const std::string& port) {
  return "set pacing of port " + port + " to software, or remove the key";
}

/// Returns why the port cannot send packets at given departure times. The text is empty if it can.
std::string lacks_timestamps(const PacingAbilities& a) {
  if (!a.send_on_timestamp) return a.driver + " does not support scheduled sending (SEND_ON_TIMESTAMP)";
  if (!a.device_clock) return a.driver + " does not support reading its clock";
  return "";
}

std::string timestamp_fix(const std::string& port, const PacingAbilities& a) {
  // ConnectX-6 Dx supports SEND_ON_TIMESTAMP only with devarg tx_pp. Later NICs support it without tx_pp.
  if (a.driver == "mlx5_pci" && !a.send_on_timestamp)
    return "add tx_pp=500 to its device (…,tx_pp=500), or " + software_instead(port);
  return software_instead(port);
}

}  // namespace

std::string to_string(Pacing way) {
  switch (way) {
    case Pacing::kSoftware:
      return "software";
    case Pacing::kQueueRate:
      return "queue_rate";
    case Pacing::kTimestamp:
      return "timestamp";
  }
  return "?";
}

PacingAbilities probe_pacing(std::uint16_t port) {
  PacingAbilities a;
  rte_eth_dev_info info{};
  if (rte_eth_dev_info_get(port, &info) != 0) return a;
  a.driver = info.driver_name;
  a.send_on_timestamp = (info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_SEND_ON_TIMESTAMP) != 0;
  LogCollector log;
  std::uint64_t ticks = 0;
  a.device_clock = rte_eth_read_clock(port, &ticks) == 0;
  a.queue_rate = rte_eth_set_queue_rate_limit(port, 0, 0) == 0;
  return a;
}

std::optional<PacingRefusal> refuse_pacing(const std::string& port, Pacing wanted,
                                           const PacingAbilities& abilities) {
  const std::string begin = "port " + port + ": pacing: " + to_string(wanted) + ": ";
  if (wanted == Pacing::kQueueRate && !abilities.queue_rate)
    return PacingRefusal{begin + abilities.driver + " does not support queue rate limits",
                         software_instead(port)};
  if (wanted != Pacing::kTimestamp) return std::nullopt;
  if (const std::string lack = lacks_timestamps(abilities); !lack.empty())
    return PacingRefusal{begin + lack, timestamp_fix(port, abilities)};
  return std::nullopt;
}

std::string pacing_text(const PacingAbilities& a) {
  const std::string lack = lacks_timestamps(a);
  return "software; queue_rate: " +
         (a.queue_rate ? "yes" : a.driver + " does not support queue rate limits") +
         "; timestamp: " + (lack.empty() ? "yes" : lack);
}

std::uint32_t queue_rate_mbps(std::uint64_t bytes_per_second) {
  constexpr std::uint64_t kStep = 125'000;  // bytes per second in 1 Mb/s
  return static_cast<std::uint32_t>(bytes_per_second / kStep + (bytes_per_second % kStep != 0 ? 1 : 0));
}

void limit_queues(std::uint16_t port, const std::string& name, const PacingConfig& config) {
  for (std::uint16_t queue = 0; queue < config.queue_rates.size(); ++queue) {
    const std::uint32_t mbps = queue_rate_mbps(config.queue_rates[queue]);
    LogCollector log;
    const int status = rte_eth_set_queue_rate_limit(port, queue, mbps);
    if (status == 0) continue;
    throw EnvironmentError("port " + name + ": pacing: queue_rate: queue " + std::to_string(queue) +
                               " rejects " + std::to_string(mbps) + " Mb/s: " + rte_strerror(-status),
                           "give boards a link_rate below the port's speed, or " + software_instead(name));
  }
}

}  // namespace softfeb::dataplane
