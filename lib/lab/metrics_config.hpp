// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "lab/metrics.hpp"

#include <cstdint>
#include <vector>

namespace softfeb::lab {

/// Extracts the part of a configuration that metrics need. `flows` must contain all sending queue pairs; this
/// function determines which of them pass the bottleneck.
MetricsConfig make_metrics_config(const config::LabConfig& config, std::vector<MetricsConfig::Flow> flows);

/// Determines on which side of a switch port each node is. This is well defined, because a network has at
/// most one path between any two nodes.
class PortSides {
 public:
  PortSides(const fabric::NetworkConfig& network, const MetricsConfig::Port& port);

  /// True if frames from station `from` to station `to` leave the switch through this port.
  bool passes(std::uint32_t from, std::uint32_t to) const {
    return side_[from] == Side::kBefore && side_[to] == Side::kBehind;
  }

 private:
  enum class Side : std::uint8_t { kNeither, kBefore, kBehind };

  std::vector<Side> side_;  ///< indexed by stations, then switches
};

}  // namespace softfeb::lab
