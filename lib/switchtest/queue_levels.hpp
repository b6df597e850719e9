// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/estimators.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace softfeb::switchtest {

/// How a scheduler serves one queue in comparison with another.
struct QueueRelation {
  enum class Kind {
    kBefore,   ///< this queue is served first
    kAfter,    ///< the other queue is served first
    kShares,   ///< both queues are served, in proportion to their weights
    kUnknown,  ///< the comparison did not show the relation
  };
  Kind kind = Kind::kUnknown;
  Interval weight{};  ///< for kShares: weight in units of the weight of the other queue
};

/// Queues that share the capacity that queues of higher levels leave unused. A queue that is alone in its
/// level has strict priority.
struct QueueLevel {
  struct Member {
    std::size_t queue = 0;
    Interval weight{1, 1, 1};  ///< weight in units of the first member's weight
  };
  std::vector<Member> members;
};

struct QueueHierarchy {
  std::vector<QueueLevel> levels;     ///< in the order in which the switch serves them
  std::vector<std::size_t> unplaced;  ///< queues whose comparison did not show the relation
};

/// Compares queue a with queue b. Returns std::nullopt if the rig failed.
using QueueComparison = std::function<std::optional<QueueRelation>(std::size_t a, std::size_t b)>;

/// Sorts queues into levels, by comparing each queue with the first member of each level found so far.
/// Returns std::nullopt if a comparison failed.
std::optional<QueueHierarchy> order_queues(const std::vector<std::size_t>& queues,
                                           const QueueComparison& compare);

/// Weights of the members of a level, in units of the smallest weight.
std::vector<Interval> normalized_weights(const QueueLevel& level);

}  // namespace softfeb::switchtest
