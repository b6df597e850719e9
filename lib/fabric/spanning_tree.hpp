// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"

#include <vector>

namespace softfeb::fabric {

/// Selects the links over which frames are flooded: a spanning tree of each connected part of the network.
/// IEEE 802.1D selects the same tree if all switches have equal priorities, all links have equal path costs,
/// and the identifiers of bridges and ports follow the order of the configuration. The first switch is
/// therefore the root. With NetworkConfig::multipath, the tree excludes switches behind which there is no
/// station. Without NetworkConfig::multipath, the result contains all links. Returns a flag for each link.
/// All nodes of links must exist.
std::vector<bool> spanning_tree(const NetworkConfig& config);

}  // namespace softfeb::fabric
