// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/names.hpp"

namespace softfeb::fabric {

namespace {

bool parallel(const LinkConfig& x, const LinkConfig& y) {
  return (x.a == y.a && x.b == y.b) || (x.a == y.b && x.b == y.a);
}

}  // namespace

std::string peer_name(const NetworkConfig& config, const NodeRef& self, std::size_t link) {
  const LinkConfig& own = config.links[link];
  const NodeRef peer = own.a == self ? own.b : own.a;
  std::string name = peer.kind == NodeRef::Kind::kStation ? config.stations[peer.index].name
                                                          : config.switches[peer.index].name;
  if (!config.multipath) return name;  // there are no parallel links
  std::size_t number = 1;
  for (std::size_t l = 0; l < link; ++l)
    if (parallel(config.links[l], own)) ++number;
  if (number > 1) name += '#' + std::to_string(number);
  return name;
}

}  // namespace softfeb::fabric
