// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/section.hpp"
#include "fabric/config.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// Resolves the ends of network links. Internal to the loader.
namespace softfeb::config {

const std::string& name_of(const fabric::NetworkConfig& network, const fabric::NodeRef& node);

/// The names allowed in `ends`.
class LinkEnds {
 public:
  explicit LinkEnds(Reading& reading) : reading_(reading) {}

  /// Adds a name for a node or a group of nodes. Reports a problem at `where` if the name is taken.
  void add(const std::string& name, std::vector<fabric::NodeRef> nodes, const Where& where);
  /// Marks a name that exists but cannot have a link. `why` and `fix` are used in the error message.
  void refuse(const std::string& name, std::string why, std::string fix);

  /// Returns the nodes of a name, or of FIRST..LAST in file order. Reports a problem and returns an empty
  /// list if there are no such nodes.
  std::vector<fabric::NodeRef> find(const std::string& text, const Where& where);

 private:
  std::vector<fabric::NodeRef> range(const std::string& first, const std::string& last, const Where& where);
  const std::vector<fabric::NodeRef>* look_up(const std::string& name, const Where& where);

  Reading& reading_;
  std::map<std::string, std::vector<fabric::NodeRef>> nodes_;
  std::map<std::string, std::pair<std::string, std::string>> refused_;
};

/// Connected components of the network (union-find).
class Forest {
 public:
  /// Connects two nodes. Returns false if they were already connected, so that the link closes a loop.
  bool join(const fabric::NetworkConfig& network, const fabric::NodeRef& a, const fabric::NodeRef& b);
  /// Identifier of the component that contains `node`.
  std::uint32_t tree(const fabric::NetworkConfig& network, const fabric::NodeRef& node);

 private:
  std::size_t root(std::size_t node);

  std::vector<std::size_t> above_;  ///< parent of each node; indexed by stations, then switches
};

}  // namespace softfeb::config
