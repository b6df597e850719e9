// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/flow_fields.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace softfeb::switchtest {

/// A flow of the first sender and a flow of the second sender.
struct FlowPair {
  Flow first, second;
};

/// Returns, for each pair, whether its two flows share a link that is too narrow for both. Returns
/// std::nullopt if the rig failed.
using PairProbe = std::function<std::optional<std::vector<bool>>(const std::vector<FlowPair>&)>;

/// Finds the paths of a sender's flows when the only thing that can be observed is whether a flow shares a
/// link with a flow of another sender. For each path, this class looks for a flow of the second sender that
/// takes the path, called the path's partner, and compares all flows of the first sender with the partner.
class PathFinder {
 public:
  static constexpr std::size_t kUnknown = SIZE_MAX;

  /// `candidates` are flows of the second sender. Together, they should use all paths.
  PathFinder(PairProbe probe, std::vector<Flow> candidates);

  /// Returns the path of each flow: 0, 1, … in the order in which they are found. The path is kUnknown if no
  /// candidate shares a link with the flow. Returns std::nullopt if the rig failed.
  std::optional<std::vector<std::size_t>> paths_of(const std::vector<Flow>& flows);
  std::size_t paths() const { return partners_.size(); }
  /// Number of flows that were passed to paths_of().
  std::size_t compared() const { return compared_; }
  /// Number of times that a flow shared links with the partners of several paths. If this number is large,
  /// the network has no paths in the sense of this class.
  std::size_t ambiguous() const { return ambiguous_; }

 private:
  bool compare(const std::vector<Flow>& flows, std::size_t path, std::vector<std::size_t>& paths);
  std::optional<bool> find_partner(const Flow& flow);

  PairProbe probe_;
  std::vector<Flow> candidates_;
  std::vector<Flow> partners_;  ///< for each path, a flow of the second sender
  std::size_t compared_ = 0, ambiguous_ = 0;
};

}  // namespace softfeb::switchtest
