// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/plan.hpp"
#include "fabric/config.hpp"
#include "stats/rate_tracker.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace softfeb::telemetry {

/// Description of a run for display: names, and limits with which the measured rates are compared. Plain
/// data, built once.
struct RunInfo {
  struct Board {
    std::string name;
    std::string ip;
    std::uint64_t link_rate = 0;  ///< bytes per second on the wire; 0 if not limited
    bool control = false;         ///< true if the board's registers are served
    bool dcqcn = false;           ///< true if a QP of the configuration has congestion control
    std::size_t qps = 0;          ///< number of QPs in the configuration
  };
  /// Port of a switch.
  struct Port {
    std::string name;  ///< `switch_name` and `peer`, joined by a period
    std::string switch_name;
    std::string peer;
    std::uint64_t rate = 0;  ///< bytes per second on the wire
    bool ecn = false;  ///< true if a queue marks packets; kmin and kmax are those of the first such queue
    std::uint64_t kmin = 0, kmax = 0;
    std::uint64_t buffer = 0;  ///< bytes, shared by all ports of the switch
    bool bottleneck = false;
  };

  std::string title;
  std::string shows;
  std::string version;
  std::vector<Board> boards;           ///< indexed like RunConfig::boards
  std::vector<std::string> receivers;  ///< indexed like RunConfig::receivers
  std::vector<Port> ports;             ///< indexed like fabric::NetworkSnapshot::ports
  stats::DeliveryMap deliveries;       ///< which receivers count the payload that UC queue pairs deliver
  std::vector<std::vector<bool>> own_rates;  ///< for each board: stats::own_rates() of its QPs

  /// Number of queue pairs in the configuration, over all boards.
  std::size_t qps() const;
  stats::RateTracker rate_tracker() const { return {deliveries, own_rates}; }
};

/// The title is the name of the configuration file. Switches are added by add_network(). `plans` are the
/// configuration's queue pairs.
RunInfo make_run_info(const config::RunConfig& config, const std::vector<endpoints::QpPlan>& plans,
                      const std::string& version);
/// Adds the ports of the network's switches. The bottleneck is the port of switch `bottleneck_switch` towards
/// link `bottleneck`. If there is no bottleneck, `bottleneck` is UINT32_MAX.
void add_network(RunInfo& info, const fabric::NetworkConfig& network, std::uint32_t bottleneck,
                 std::uint32_t bottleneck_switch);

}  // namespace softfeb::telemetry
