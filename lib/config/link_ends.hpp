// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/section.hpp"
#include "fabric/config.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// What links of a network lead to. For the loader's own files.
namespace softfeb::config {

const std::string& name_of(const fabric::NetworkConfig& network, const fabric::NodeRef& node);

/// The names that `ends` may have.
class LinkEnds {
 public:
  explicit LinkEnds(Reading& reading) : reading_(reading) {}

  /// A node, or a group of them; `where` gets the problem when the name is taken.
  void add(const std::string& name, std::vector<fabric::NodeRef> nodes, const Where& where);
  /// A name that exists, but takes no link.
  void refuse(const std::string& name, std::string why, std::string fix);

  /// The nodes of a name, or of FIRST..LAST in the order of the file; none, and a problem, where there are no
  /// such nodes.
  std::vector<fabric::NodeRef> find(const std::string& text, const Where& where);

 private:
  std::vector<fabric::NodeRef> range(const std::string& first, const std::string& last, const Where& where);
  const std::vector<fabric::NodeRef>* look_up(const std::string& name, const Where& where);

  Reading& reading_;
  std::map<std::string, std::vector<fabric::NodeRef>> nodes_;
  std::map<std::string, std::pair<std::string, std::string>> refused_;
};

/// Which nodes hang together (union-find).
class Forest {
 public:
  /// False: they did before, so that this link closes a loop.
  bool join(const fabric::NetworkConfig& network, const fabric::NodeRef& a, const fabric::NodeRef& b);
  /// Number of the tree that `node` stands in; the same for all of it.
  std::uint32_t tree(const fabric::NetworkConfig& network, const fabric::NodeRef& node);

 private:
  std::size_t root(std::size_t node);

  std::vector<std::size_t> above_;  ///< of stations, then of switches
};

}  // namespace softfeb::config
