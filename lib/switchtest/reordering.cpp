// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/reordering.hpp"

#include <algorithm>
#include <cstddef>
#include <unordered_set>
#include <vector>

namespace softfeb::switchtest {

namespace {

/// Arrivals of one flow so far.
class FlowOrder {
 public:
  /// Adds an arrival of a frame that departed at `departed`.
  void add(Time departed, Reordering& out) {
    // latest_ never decreases, so a binary search finds the first arrival of a frame that departed later.
    const auto first = std::upper_bound(latest_.begin(), latest_.end(), departed);
    if (first == latest_.end()) {
      latest_.push_back(departed);
      return;
    }
    ++out.reordered;
    out.extent = std::max(out.extent, static_cast<std::uint64_t>(latest_.end() - first));
    latest_.push_back(latest_.back());
  }

 private:
  /// For each arrival: latest departure of this frame and of all frames that arrived before it.
  std::vector<Time> latest_;
};

}  // namespace

Reordering reordering(std::span<const Arrival> arrivals, std::span<const std::uint16_t> flow_of_kind) {
  Reordering out;
  std::vector<std::unordered_set<std::uint64_t>> seen(flow_of_kind.size());
  std::vector<FlowOrder> flows;
  if (!flow_of_kind.empty())
    flows.resize(*std::max_element(flow_of_kind.begin(), flow_of_kind.end()) + std::size_t{1});
  for (const Arrival& a : arrivals) {
    if (!a.intact) continue;
    if (!seen[a.kind].insert(a.sequence).second) {
      ++out.duplicated;
      continue;
    }
    ++out.frames;
    flows[flow_of_kind[a.kind]].add(a.departed, out);
  }
  return out;
}

}  // namespace softfeb::switchtest
