// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/topology.hpp"

#include "fabric/spanning_tree.hpp"

#include <numeric>
#include <stdexcept>
#include <string>

namespace softfeb::fabric {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("network: " + what); }

std::string name_of(const NetworkConfig& config, const NodeRef& node) {
  return node.kind == NodeRef::Kind::kStation ? config.stations[node.index].name
                                              : config.switches[node.index].name;
}

bool exists(const NetworkConfig& config, const NodeRef& node) {
  return node.index <
         (node.kind == NodeRef::Kind::kStation ? config.stations.size() : config.switches.size());
}

/// Union-find over the nodes. A link between two nodes of the same tree closes a loop.
class Forest {
 public:
  explicit Forest(std::size_t nodes) : parent_(nodes) { std::iota(parent_.begin(), parent_.end(), 0U); }
  bool join(std::size_t a, std::size_t b) {
    a = root(a);
    b = root(b);
    parent_[a] = b;
    return a != b;
  }

 private:
  std::size_t root(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  std::vector<std::size_t> parent_;
};

}  // namespace

Topology::Topology(const NetworkConfig& config) {
  check_links(config);
  for (const auto& link : config.links) {
    directions.push_back({link.a, link.b});
    directions.push_back({link.b, link.a});
  }
  place_ports(config);
  find_routes(config);
}

void Topology::check_links(const NetworkConfig& config) const {
  Forest forest(config.stations.size() + config.switches.size());
  std::vector<unsigned> links_of(config.stations.size());
  const auto number = [&](const NodeRef& node) {
    return node.kind == NodeRef::Kind::kStation ? node.index : config.stations.size() + node.index;
  };
  for (const auto& link : config.links) {
    if (!exists(config, link.a) || !exists(config, link.b)) refuse("a link to a node that does not exist");
    if (link.a == link.b) refuse("a link from " + name_of(config, link.a) + " to itself");
    if (!forest.join(number(link.a), number(link.b)) && !config.multipath)
      refuse("the link between " + name_of(config, link.a) + " and " + name_of(config, link.b) +
             " closes a loop");
    for (const auto& end : {link.a, link.b})
      if (end.kind == NodeRef::Kind::kStation) ++links_of[end.index];
  }
  for (std::size_t i = 0; i < links_of.size(); ++i)
    if (links_of[i] != 1)
      refuse("station " + config.stations[i].name + " has " + std::to_string(links_of[i]) +
             " links, not one");
}

void Topology::place_ports(const NetworkConfig& config) {
  station_direction.resize(config.stations.size());
  port_of.assign(directions.size(), kNoPort);
  for (std::uint32_t d = 0; d < directions.size(); ++d)
    if (directions[d].from.kind == NodeRef::Kind::kStation) station_direction[directions[d].from.index] = d;
  for (std::uint32_t s = 0; s < config.switches.size(); ++s) {
    first_port.push_back(static_cast<std::uint32_t>(ports.size()));
    for (std::uint32_t d = 0; d < directions.size(); ++d) {
      if (directions[d].from != NodeRef{NodeRef::Kind::kSwitch, s}) continue;
      if (ports.size() >= kNoPort) refuse("too many switch ports");
      port_of[d] = static_cast<std::uint16_t>(ports.size());
      ports.push_back({s, d});
    }
  }
  first_port.push_back(static_cast<std::uint32_t>(ports.size()));
}

/// Computes routes: traverses the spanning tree from each port and records the port for every station
/// reached.
void Topology::find_routes(const NetworkConfig& config) {
  routes.assign(config.switches.size(), std::vector<std::uint16_t>(config.stations.size(), kNoPort));
  leads_to_learning.assign(ports.size(), false);
  const std::vector<bool> tree = spanning_tree(config);
  for (const PortPlace& port : ports) floods.push_back(tree[link_of(port.direction)]);
  for (std::uint16_t p = 0; p < ports.size(); ++p) {
    if (!floods[p]) continue;
    std::vector<std::uint32_t> todo{ports[p].direction};
    while (!todo.empty()) {
      const std::uint32_t d = todo.back();
      todo.pop_back();
      const NodeRef to = directions[d].to;
      if (to.kind == NodeRef::Kind::kStation) {
        routes[ports[p].switch_index][to.index] = p;
        if (!config.stations[to.index].mac) leads_to_learning[p] = true;
        continue;
      }
      for (std::uint32_t next = first_port[to.index]; next < first_port[to.index + 1]; ++next)
        if (floods[next] && ports[next].direction != reverse_of(d)) todo.push_back(ports[next].direction);
    }
  }
}

}  // namespace softfeb::fabric
