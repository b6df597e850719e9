// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace softfeb::fabric {

/// A tournament tree that stores the time of the next event of each party (a numbered source of events) and
/// finds the earliest event. The number of parties is fixed. An update takes O(log n) comparisons and does
/// not allocate. Simultaneous events are ordered by party number, so the order is deterministic.
class EventTree {
 public:
  explicit EventTree(std::size_t parties)
      : leaves_(std::bit_ceil(parties < 1 ? std::size_t{1} : parties)), nodes_(2 * leaves_) {
    for (std::size_t i = 0; i < leaves_; ++i) nodes_[leaves_ + i].party = static_cast<std::uint32_t>(i);
    for (std::size_t i = leaves_ - 1; i >= 1; --i) nodes_[i] = nodes_[2 * i];
  }

  /// Time of the earliest event; kNever if there is none.
  Time time() const { return nodes_[1].time; }
  std::uint32_t party() const { return nodes_[1].party; }  ///< party of the earliest event
  Time time_of(std::uint32_t party) const { return nodes_[leaves_ + party].time; }

  void set(std::uint32_t party, Time time) {
    std::size_t i = leaves_ + party;
    if (nodes_[i].time == time) return;
    nodes_[i].time = time;
    for (i /= 2; i >= 1; i /= 2) {
      const Node& left = nodes_[2 * i];
      const Node& right = nodes_[2 * i + 1];
      // Compare and copy the members one by one. A load of a whole node would stall, because separate stores
      // have just written its members, and a CPU cannot forward several stores to one load.
      const bool is_right = right.time < left.time;
      const Time first = is_right ? right.time : left.time;
      const std::uint32_t whose = is_right ? right.party : left.party;
      if (nodes_[i].time == first && nodes_[i].party == whose) return;
      nodes_[i].time = first;
      nodes_[i].party = whose;
    }
  }

 private:
  struct Node {
    Time time = kNever;
    std::uint32_t party = 0;
  };

  std::size_t leaves_;
  std::vector<Node> nodes_;  ///< heap order: root 1, children of i at 2i and 2i + 1; nodes_[0] is unused
};

}  // namespace softfeb::fabric
