// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "endpoints/plan.hpp"

#include <vector>

namespace softfeb::lab {

/// Frames that the nodes of a network are expected to handle, estimated from the configuration: queue pairs
/// send at the rate of their traffic, at most at their share of the board's link, and are not slowed down by
/// congestion. Frames divide equally among paths of equal length.
struct NetworkLoad {
  /// Work at each switch, in frames per second, indexed like NetworkConfig::switches. A frame counts once at
  /// each switch that it passes, and once more at the switches of its source and of its destination, for the
  /// stations. Payload counts at the switch of the receiver, which checks and stores it: 2 KiB like a frame.
  std::vector<double> switches;
  std::vector<double> links;  ///< frames per second in both directions, indexed like NetworkConfig::links
};

NetworkLoad expected_load(const config::LabConfig& config, const endpoints::Plans& plans);

}  // namespace softfeb::lab
