// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "fabric/hops.hpp"
#include "lab/metrics.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::lab {

/// Extracts the part of a configuration that metrics need. `flows` must contain all sending queue pairs; this
/// function determines which of the queue pairs pass the bottleneck.
MetricsConfig make_metrics_config(const config::LabConfig& config, std::vector<MetricsConfig::Flow> flows);

/// Determines which frames pass a switch port.
class PortPaths {
 public:
  /// `network` must outlive this object.
  PortPaths(const fabric::NetworkConfig& network, const MetricsConfig::Port& port);

  /// True if frames from station `from` to station `to` leave the switch through this port. If there are
  /// several shortest paths, it is sufficient that one of them passes the port.
  bool passes(std::uint32_t from, std::uint32_t to) const { return hops_.may_pass(link_, back_, from, to); }

 private:
  fabric::Hops hops_;
  std::size_t link_;
  bool back_;
};

}  // namespace softfeb::lab
