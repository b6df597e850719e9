// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/hops.hpp"

namespace softfeb::fabric {

Hops::Hops(const NetworkConfig& config)
    : config_(config), neighbours_(config.stations.size() + config.switches.size()) {
  for (const LinkConfig& link : config.links) {
    neighbours_[index_of(link.a)].push_back(link.b);
    neighbours_[index_of(link.b)].push_back(link.a);
  }
}

/// Counts the hops by a breadth-first search. Stations have only one link each, so they never lie between
/// other nodes.
const std::vector<std::uint32_t>& Hops::to(const NodeRef& node) const {
  const auto [found, fresh] = counts_.try_emplace(index_of(node));
  std::vector<std::uint32_t>& count = found->second;
  if (!fresh) return count;
  count.assign(neighbours_.size(), kUnreachable);
  count[index_of(node)] = 0;
  std::vector<NodeRef> reached{node};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const std::size_t here = index_of(reached[i]);
    for (const NodeRef& next : neighbours_[here]) {
      if (count[index_of(next)] != kUnreachable) continue;
      count[index_of(next)] = count[here] + 1;
      reached.push_back(next);
    }
  }
  return count;
}

bool Hops::may_pass(std::size_t link, bool back, std::uint32_t from, std::uint32_t to) const {
  const LinkConfig& config = config_.links[link];
  const std::size_t sender = index_of(back ? config.b : config.a);
  const std::size_t receiver = index_of(back ? config.a : config.b);
  const NodeRef source{NodeRef::Kind::kStation, from};
  const std::vector<std::uint32_t>& left = this->to({NodeRef::Kind::kStation, to});
  if (left[sender] == kUnreachable || left[receiver] + 1 != left[sender]) return false;
  return this->to(source)[sender] + left[sender] == left[from];
}

}  // namespace softfeb::fabric
