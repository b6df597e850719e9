// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/rig.hpp"

namespace softfeb::switchtest {

std::vector<RigPort> ports_of(const fabric::NetworkConfig& network) {
  std::vector<RigPort> out(network.stations.size());
  for (std::uint16_t i = 0; i < out.size(); ++i) {
    out[i].name = network.stations[i].name;
    out[i].address = default_address(i);
  }
  for (const fabric::LinkConfig& link : network.links)
    for (const fabric::NodeRef& node : {link.a, link.b})
      if (node.kind == fabric::NodeRef::Kind::kStation) out[node.index].rate = link.rate;
  return out;
}

}  // namespace softfeb::switchtest
