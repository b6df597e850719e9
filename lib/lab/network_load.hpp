// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "endpoints/plan.hpp"

#include <vector>

namespace softfeb::lab {

/// Estimate of the number of frames that the nodes of a network will have to handle. It assumes that queue
/// pairs send at the configured rate, at most at their share of the board's link, and are not slowed down by
/// congestion. Frames are divided equally among paths of equal length.
struct NetworkLoad {
  /// Work at each switch in frames per second, indexed like NetworkConfig::switches. A frame counts once at
  /// each switch that it passes. The frame counts once more at the switch of its source station and at the
  /// switch of its destination station, for the work of these stations. Payload counts at the switch of its
  /// receiver, because the receiver checks and stores it: 2 KiB count as one frame.
  std::vector<double> switches;
  std::vector<double> links;  ///< frames per second in both directions, indexed like NetworkConfig::links
};

NetworkLoad expected_load(const config::LabConfig& config, const endpoints::Plans& plans);

}  // namespace softfeb::lab
