// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/estimators.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace softfeb::switchtest {

/// How a scheduler treats a queue in comparison with another one.
struct QueueRelation {
  enum class Kind {
    kBefore,   ///< it is served first
    kAfter,    ///< the other is served first
    kShares,   ///< both are served, in proportion to their weights
    kUnknown,  ///< the comparison does not tell
  };
  Kind kind = Kind::kUnknown;
  Interval weight{};  ///< kShares: weight in units of that of the other queue
};

/// Queues that share what the levels before it leave. A level with one queue has strict priority.
struct QueueLevel {
  struct Member {
    std::size_t queue = 0;
    Interval weight{1, 1, 1};  ///< in units of that of the first member
  };
  std::vector<Member> members;
};

struct QueueHierarchy {
  std::vector<QueueLevel> levels;     ///< the first is served first
  std::vector<std::size_t> unplaced;  ///< queues of which a comparison was unknown
};

/// Compares queue a with queue b. nullopt: the rig failed.
using QueueComparison = std::function<std::optional<QueueRelation>(std::size_t a, std::size_t b)>;

/// Orders queues by comparing each with the first member of levels that are known. nullopt: a comparison
/// failed.
std::optional<QueueHierarchy> order_queues(const std::vector<std::size_t>& queues,
                                           const QueueComparison& compare);

/// Weights of the members of a level in units of the smallest one.
std::vector<Interval> normalized_weights(const QueueLevel& level);

}  // namespace softfeb::switchtest
