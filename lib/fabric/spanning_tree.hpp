// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"

#include <vector>

namespace softfeb::fabric {

/// Selects the links over which frames are flooded: a spanning tree of each connected part of the network. It
/// is the tree of IEEE 802.1D if all switches have the same priority, all links have the same path cost, and
/// the identifiers of bridges and ports are in the order of the configuration. The first switch is therefore
/// the root. With NetworkConfig::multipath, the tree excludes switches behind which there is no station.
/// Without it, the result contains all links. Returns a flag for each link. All nodes of links must exist.
std::vector<bool> spanning_tree(const NetworkConfig& config);

}  // namespace softfeb::fabric
