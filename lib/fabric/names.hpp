// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"

#include <cstddef>
#include <string>

namespace softfeb::fabric {

/// Returns the name of the node at the other end of link `link` of node `self`, as it is used in the names of
/// ports (SWITCH.PEER) and links. If there are several parallel links between two nodes, the second link has
/// the name PEER#2, and so on.
std::string peer_name(const NetworkConfig& config, const NodeRef& self, std::size_t link);

}  // namespace softfeb::fabric
