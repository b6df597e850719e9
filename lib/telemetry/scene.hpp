// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/plan.hpp"
#include "fabric/config.hpp"
#include "stats/board_rates.hpp"
#include "stats/delivery.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace softfeb::telemetry {

/// Description of a run for display: names, and limits for comparison. Plain data, built once.
struct Scene {
  struct Qp {
    std::uint32_t qpn = 0;
    std::string target;     ///< name of the receiver, or address
    std::string algorithm;  ///< off, firmware, paper
    bool own_rate = true;   ///< false: an earlier QP of the board has the same congestion control
  };
  struct Board {
    std::string name;
    std::string ip;
    std::uint64_t link_rate = 0;  ///< bytes per second on the wire; 0: unshaped
    bool control = false;         ///< its registers are served
    std::vector<Qp> qps;          ///< from the configuration

    /// Sums over its congestion controls; shared ones count once.
    stats::BoardRates rates(const engine::EndpointSnapshot& board) const;
  };
  struct Port {
    std::string name;  ///< switch.peer
    std::string switch_name;
    std::string peer;
    std::uint32_t switch_index = 0;
    std::uint32_t link = 0;
    std::uint64_t rate = 0;  ///< bytes per second on the wire
    bool ecn = false;        ///< kmin and kmax are those of the first queue that marks
    std::uint64_t kmin = 0, kmax = 0;
    std::uint64_t buffer = 0;  ///< bytes, of its switch
    bool bottleneck = false;
  };

  std::string title;
  std::string shows;
  std::string version;
  std::vector<Board> boards;           ///< indexed like RunConfig::boards
  std::vector<std::string> receivers;  ///< indexed like RunConfig::receivers
  std::vector<Port> ports;             ///< switch by switch
  stats::DeliveryMap deliveries;       ///< which receivers count the payload that UC queue pairs deliver

  /// Number of queue pairs in the configuration, over all boards.
  std::size_t qps() const;
};

/// The title is the name of the configuration file. Adds no switches. `plans`: the configuration's queue
/// pairs.
Scene make_scene(const config::RunConfig& config, const std::vector<endpoints::QpPlan>& plans,
                 const std::string& version);
/// Adds the ports of the network's switches. The bottleneck is the port of switch `bottleneck_switch` towards
/// link `bottleneck`; UINT32_MAX: none.
void add_network(Scene& scene, const fabric::NetworkConfig& network, std::uint32_t bottleneck,
                 std::uint32_t bottleneck_switch);

}  // namespace softfeb::telemetry
