// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/path_finder.hpp"

#include <algorithm>

namespace softfeb::switchtest {

PathFinder::PathFinder(PairProbe probe, std::vector<Flow> candidates)
    : probe_(std::move(probe)), candidates_(std::move(candidates)) {}

/// Compares all flows with the partner on path `path`. Returns false if the rig failed.
bool PathFinder::compare(const std::vector<Flow>& flows, std::size_t path, std::vector<std::size_t>& paths) {
  std::vector<FlowPair> pairs;
  for (const Flow& flow : flows) pairs.push_back({flow, partners_[path]});
  const auto shared = probe_(pairs);
  if (!shared) return false;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (!(*shared)[i]) continue;
    if (paths[i] != kUnknown) ++ambiguous_;
    paths[i] = path;
  }
  return true;
}

/// Searches for a candidate that shares a link with `flow`, whose path is not yet known, and makes this
/// candidate the partner on the new path. Returns false if there is no such candidate, and std::nullopt if
/// the rig failed.
std::optional<bool> PathFinder::find_partner(const Flow& flow) {
  constexpr std::size_t kAtOnce = 16;
  for (std::size_t from = 0; from < candidates_.size(); from += kAtOnce) {
    std::vector<FlowPair> pairs;
    for (std::size_t c = from; c < std::min(from + kAtOnce, candidates_.size()); ++c)
      pairs.push_back({flow, candidates_[c]});
    const auto shared = probe_(pairs);
    if (!shared) return std::nullopt;
    const auto found = std::find(shared->begin(), shared->end(), true);
    if (found == shared->end()) continue;
    partners_.push_back(pairs[static_cast<std::size_t>(found - shared->begin())].second);
    return true;
  }
  return false;
}

std::optional<std::vector<std::size_t>> PathFinder::paths_of(const std::vector<Flow>& flows) {
  std::vector<std::size_t> out(flows.size(), kUnknown);
  compared_ += flows.size();
  for (std::size_t path = 0; path < paths(); ++path)
    if (!compare(flows, path, out)) return std::nullopt;
  for (;;) {
    const auto open = std::find(out.begin(), out.end(), kUnknown);
    if (open == out.end()) return out;
    const auto found = find_partner(flows[static_cast<std::size_t>(open - out.begin())]);
    if (!found) return std::nullopt;
    if (!*found) return out;
    if (!compare(flows, paths() - 1, out)) return std::nullopt;
    // If the path is still unknown, the results contradict each other: the partner was chosen because it
    // shares a link with this flow.
    if (*open == kUnknown) return out;
  }
}

}  // namespace softfeb::switchtest
