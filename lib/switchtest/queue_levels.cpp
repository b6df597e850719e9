// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/queue_levels.hpp"

#include <algorithm>

namespace softfeb::switchtest {

namespace {

/// Inserts a queue into the hierarchy. Returns false if the rig failed.
bool place_queue(QueueHierarchy& out, std::size_t queue, const QueueComparison& compare) {
  for (auto level = out.levels.begin(); level != out.levels.end(); ++level) {
    const auto relation = compare(queue, level->members.front().queue);
    if (!relation) return false;
    switch (relation->kind) {
      case QueueRelation::Kind::kBefore:
        out.levels.insert(level, QueueLevel{{{.queue = queue}}});
        return true;
      case QueueRelation::Kind::kShares:
        level->members.push_back({queue, relation->weight});
        return true;
      case QueueRelation::Kind::kUnknown:
        out.unplaced.push_back(queue);
        return true;
      case QueueRelation::Kind::kAfter:
        break;
    }
  }
  out.levels.push_back(QueueLevel{{{.queue = queue}}});
  return true;
}

}  // namespace

std::optional<QueueHierarchy> order_queues(const std::vector<std::size_t>& queues,
                                           const QueueComparison& compare) {
  QueueHierarchy out;
  for (const std::size_t queue : queues)
    if (!place_queue(out, queue, compare)) return std::nullopt;
  return out;
}

std::vector<Interval> normalized_weights(const QueueLevel& level) {
  const auto least =
      std::min_element(level.members.begin(), level.members.end(),
                       [](const auto& a, const auto& b) { return a.weight.value < b.weight.value; });
  std::vector<Interval> out;
  for (const QueueLevel::Member& m : level.members) {
    Interval weight{m.weight.value / least->weight.value, m.weight.low / least->weight.high,
                    m.weight.high / least->weight.low};
    if (m.queue == least->queue) weight = {1, 1, 1};
    out.push_back(weight);
  }
  return out;
}

}  // namespace softfeb::switchtest
