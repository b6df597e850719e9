// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "lab/metrics.hpp"

#include <cstdint>
#include <vector>

namespace softfeb::lab {

/// The part of a configuration that figures are made of. `flows`: every sending queue pair; whether it goes
/// through the bottleneck is found here.
MetricsConfig make_metrics_config(const config::LabConfig& config, std::vector<MetricsConfig::Flow> flows);

/// What lies on the two sides of a switch's port. Between any two nodes of a network there is at most one
/// way.
class PortSides {
 public:
  PortSides(const fabric::NetworkConfig& network, const MetricsConfig::Port& port);

  /// Whether frames from station `from` to station `to` leave the switch by this port.
  bool passes(std::uint32_t from, std::uint32_t to) const {
    return side_[from] == Side::kBefore && side_[to] == Side::kBehind;
  }

 private:
  enum class Side : std::uint8_t { kNeither, kBefore, kBehind };

  std::vector<Side> side_;  ///< of stations, then switches
};

}  // namespace softfeb::lab
