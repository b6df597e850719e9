// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::lab {

/// Divides the nodes of a graph into parts of similar weight with little traffic between them. Deterministic.
/// Meant for set-up only, because the time grows with the third power of the number of nodes.
class Partition {
 public:
  /// `weights` contains the weight of each node.
  explicit Partition(std::vector<double> weights);

  /// Adds an edge of the weight `traffic` between two nodes.
  void connect(std::uint32_t a, std::uint32_t b, double traffic);
  /// Keeps two nodes in the same part.
  void join(std::uint32_t a, std::uint32_t b);
  /// Number of groups of nodes that can be separated, and therefore the maximum number of parts.
  std::size_t groups() const;

  /// Returns the part of each node. Parts are numbered in the order of their first nodes, and none is empty.
  /// Requires 1 <= parts <= groups(). First merges the groups with the most traffic between them until
  /// `parts` are left, then moves single groups as long as this is an improvement.
  std::vector<std::uint32_t> divide(std::uint32_t parts) const;

 private:
  struct Edge {
    std::uint32_t a = 0, b = 0;
    double traffic = 0;
  };
  struct State;

  std::uint32_t root(std::uint32_t node) const;

  std::vector<double> weights_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> above_;  ///< parent of each node (union-find)
};

}  // namespace softfeb::lab
