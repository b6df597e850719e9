// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/spanning_tree.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace softfeb::fabric {

namespace {

constexpr std::uint32_t kNotReached = UINT32_MAX;

struct Uplink {
  std::uint32_t peer = 0;
  std::size_t link = 0;
};

/// Returns the links of each switch to other switches.
std::vector<std::vector<Uplink>> links_between_switches(const NetworkConfig& config) {
  std::vector<std::vector<Uplink>> links(config.switches.size());
  for (std::size_t l = 0; l < config.links.size(); ++l) {
    const NodeRef a = config.links[l].a;
    const NodeRef b = config.links[l].b;
    if (a.kind != NodeRef::Kind::kSwitch || b.kind != NodeRef::Kind::kSwitch || a == b) continue;
    links[a.index].push_back({b.index, l});
    links[b.index].push_back({a.index, l});
  }
  return links;
}

/// Number of links from each switch to the root of its part of the network.
std::vector<std::uint32_t> root_costs(const std::vector<std::vector<Uplink>>& links) {
  std::vector<std::uint32_t> cost(links.size(), kNotReached);
  for (std::uint32_t root = 0; root < links.size(); ++root) {
    if (cost[root] != kNotReached) continue;
    cost[root] = 0;
    std::vector<std::uint32_t> reached{root};
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const Uplink& to : links[reached[i]]) {
        if (cost[to.peer] != kNotReached) continue;
        cost[to.peer] = cost[reached[i]] + 1;
        reached.push_back(to.peer);
      }
    }
  }
  return cost;
}

/// Removes links to switches behind which there is no station, because flooded frames would be useless there.
void prune(const NetworkConfig& config, std::vector<bool>& tree) {
  std::vector<std::size_t> degree(config.switches.size(), 0);
  for (std::size_t l = 0; l < tree.size(); ++l) {
    for (const NodeRef& end : {config.links[l].a, config.links[l].b})
      if (tree[l] && end.kind == NodeRef::Kind::kSwitch) ++degree[end.index];
  }
  const auto ends_here = [&](const NodeRef& node) {
    return node.kind == NodeRef::Kind::kSwitch && degree[node.index] == 1;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t l = 0; l < tree.size(); ++l) {
      const NodeRef a = config.links[l].a;
      const NodeRef b = config.links[l].b;
      if (!tree[l] || a.kind != b.kind || !(ends_here(a) || ends_here(b))) continue;
      tree[l] = false;
      --degree[a.index];
      --degree[b.index];
      changed = true;
    }
  }
}

}  // namespace

std::vector<bool> spanning_tree(const NetworkConfig& config) {
  std::vector<bool> tree(config.links.size(), false);
  for (std::size_t l = 0; l < config.links.size(); ++l) {
    tree[l] = config.links[l].a.kind == NodeRef::Kind::kStation ||
              config.links[l].b.kind == NodeRef::Kind::kStation;
  }
  const auto links = links_between_switches(config);
  const std::vector<std::uint32_t> cost = root_costs(links);
  for (std::size_t s = 0; s < links.size(); ++s) {
    if (cost[s] == 0) continue;
    // The root port leads to the bridge with the least cost (number of links to the root). Among bridges with
    // equal costs, it leads to the bridge with the lowest number. Among parallel links to this bridge, the
    // link with the lowest number is chosen (IEEE 802.1D-2004, 17.6).
    const auto root_port =
        std::min_element(links[s].begin(), links[s].end(), [&](const Uplink& x, const Uplink& y) {
          return std::tuple{cost[x.peer], x.peer, x.link} < std::tuple{cost[y.peer], y.peer, y.link};
        });
    tree[root_port->link] = true;
  }
  if (config.multipath) prune(config, tree);
  return tree;
}

}  // namespace softfeb::fabric
