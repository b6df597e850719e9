// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace softfeb::fabric {

/// Distances between the nodes of a network, in links. Frames always take a path with the fewest links. Use
/// this class only for set-up, because it allocates memory.
class Hops {
 public:
  static constexpr std::uint32_t kUnreachable = UINT32_MAX;

  /// `config` must outlive this object. All nodes of its links must exist.
  explicit Hops(const NetworkConfig& config);

  /// Index of a node in the results of to(): stations first, then switches.
  std::size_t index_of(const NodeRef& node) const {
    return node.kind == NodeRef::Kind::kStation ? node.index : config_.stations.size() + node.index;
  }
  /// Number of links from each node to `node`; kUnreachable if there is no path.
  const std::vector<std::uint32_t>& to(const NodeRef& node) const;
  /// True if frames from station `from` to station `to` may pass over a link, in the direction from its node
  /// `a` to `b` or, if `back` is true, from `b` to `a`. It is sufficient that one of several shortest paths
  /// uses the link.
  bool may_pass(std::size_t link, bool back, std::uint32_t from, std::uint32_t to) const;

 private:
  const NetworkConfig& config_;
  std::vector<std::vector<NodeRef>> neighbours_;  ///< indexed like index_of()
  mutable std::map<std::size_t, std::vector<std::uint32_t>>
      counts_;  ///< results of to(), by index of the node
};

}  // namespace softfeb::fabric
