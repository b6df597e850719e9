// SPDX-License-Identifier: BSD-3-Clause
#include "config/link_ends.hpp"

#include "config/error.hpp"

namespace softfeb::config {

using fabric::NodeRef;

const std::string& name_of(const fabric::NetworkConfig& network, const NodeRef& node) {
  return node.kind == NodeRef::Kind::kSwitch ? network.switches[node.index].name
                                             : network.stations[node.index].name;
}

void LinkEnds::add(const std::string& name, std::vector<NodeRef> nodes, const Where& where) {
  if (nodes_.emplace(name, std::move(nodes)).second) return;
  reading_.problem(where, "the name \"" + name + "\" is taken",
                   "give every switch, board, receiver and port of the network its own name");
}

void LinkEnds::refuse(const std::string& name, std::string why, std::string fix) {
  refused_.emplace(name, std::pair{std::move(why), std::move(fix)});
}

std::vector<NodeRef> LinkEnds::find(const std::string& text, const Where& where) {
  const std::size_t dots = text.find("..");
  if (dots != std::string::npos && nodes_.count(text) == 0)
    return range(text.substr(0, dots), text.substr(dots + 2), where);
  const auto* nodes = look_up(text, where);
  return nodes != nullptr ? *nodes : std::vector<NodeRef>{};
}

std::vector<NodeRef> LinkEnds::range(const std::string& first, const std::string& last, const Where& where) {
  const auto* a = look_up(first, where);
  const auto* b = a != nullptr ? look_up(last, where) : nullptr;
  if (b == nullptr) return {};
  const NodeRef from = a->front();
  const NodeRef to = b->back();
  if (from.kind != to.kind || to.index < from.index) {
    reading_.problem(where, '"' + last + "\" does not come after \"" + first + '"',
                     "write FIRST..LAST in the order of the file");
    return {};
  }
  std::vector<NodeRef> nodes;
  for (std::uint32_t i = from.index; i <= to.index; ++i) nodes.push_back({from.kind, i});
  return nodes;
}

const std::vector<NodeRef>* LinkEnds::look_up(const std::string& name, const Where& where) {
  const auto found = nodes_.find(name);
  if (found != nodes_.end()) return &found->second;
  if (const auto refused = refused_.find(name); refused != refused_.end()) {
    reading_.problem(where, '"' + name + "\" " + refused->second.first, refused->second.second);
    return nullptr;
  }
  std::vector<std::string> names;
  for (const auto& [known, nodes] : nodes_) names.push_back(known);
  std::string fix;
  if (const std::string* near = nearest(name, names)) {
    fix = "did you mean `" + *near + "`?";
  } else {
    for (const std::string& known : names) {
      if (fix.size() < 200) fix += (fix.empty() ? "write one of " : ", ") + known;
    }
    if (fix.empty()) fix = "this file has none; add it";
  }
  reading_.problem(where, "no switch, board, receiver or port \"" + name.substr(0, 64) + '"', fix);
  return nullptr;
}

std::size_t Forest::root(std::size_t node) {
  while (above_[node] != node) node = above_[node] = above_[above_[node]];
  return node;
}

namespace {

std::size_t number(const fabric::NetworkConfig& network, const NodeRef& node) {
  return node.kind == NodeRef::Kind::kStation ? node.index : network.stations.size() + node.index;
}

}  // namespace

bool Forest::join(const fabric::NetworkConfig& network, const NodeRef& a, const NodeRef& b) {
  const std::size_t nodes = network.stations.size() + network.switches.size();
  for (std::size_t i = above_.size(); i < nodes; ++i) above_.push_back(i);
  const std::size_t x = root(number(network, a));
  const std::size_t y = root(number(network, b));
  above_[x] = y;
  return x != y;
}

std::uint32_t Forest::tree(const fabric::NetworkConfig& network, const NodeRef& node) {
  return static_cast<std::uint32_t>(root(number(network, node)));
}

}  // namespace softfeb::config
