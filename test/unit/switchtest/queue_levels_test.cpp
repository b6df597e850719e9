// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/queue_levels.hpp"

#include <array>

#include <catch2/catch.hpp>

using namespace softfeb::switchtest;

namespace {

using Kind = QueueRelation::Kind;

/// The true level and weight of a queue. A comparison with a queue of level 9 has an unknown result.
struct True {
  int level;
  double weight;
};

QueueComparison comparison(const std::vector<True>& truth, unsigned& count) {
  return [&truth, &count](std::size_t a, std::size_t b) -> std::optional<QueueRelation> {
    ++count;
    if (truth[a].level == 9 || truth[b].level == 9) return QueueRelation{};
    if (truth[a].level != truth[b].level)
      return QueueRelation{truth[a].level < truth[b].level ? Kind::kBefore : Kind::kAfter};
    const double ratio = truth[a].weight / truth[b].weight;
    return QueueRelation{Kind::kShares, {ratio, ratio - 0.01, ratio + 0.01}};
  };
}

}  // namespace

TEST_CASE("Queues are put into levels by comparisons", "[switchtest]") {
  const std::vector<True> truth{{2, 4}, {1, 1}, {2, 1}, {0, 1}, {2, 2}, {3, 1}, {9, 1}};
  unsigned count = 0;
  const auto found = order_queues({0, 1, 2, 3, 4, 5, 6}, comparison(truth, count));
  REQUIRE(found);
  REQUIRE(found->levels.size() == 4);
  const std::array<std::vector<std::size_t>, 4> expected{{{3}, {1}, {0, 2, 4}, {5}}};
  for (std::size_t l = 0; l < expected.size(); ++l) {
    std::vector<std::size_t> members;
    for (const auto& m : found->levels[l].members) members.push_back(m.queue);
    CHECK(members == expected[l]);
  }
  CHECK(found->unplaced == std::vector<std::size_t>{6});
  CHECK(count < 21);
  const auto weights = normalized_weights(found->levels[2]);
  REQUIRE(weights.size() == 3);
  CHECK(weights[0].value == Approx(4));
  CHECK(weights[0].low < 4);
  CHECK(weights[0].high > 4);
  CHECK(weights[1].value == 1);
  CHECK(weights[1].high == 1);
  CHECK(weights[2].value == Approx(2));
}

TEST_CASE("The order of queues is unknown if the rig fails", "[switchtest]") {
  CHECK_FALSE(order_queues({0, 1}, [](std::size_t, std::size_t) { return std::nullopt; }));
  CHECK(order_queues({0}, [](std::size_t, std::size_t) { return std::nullopt; })->levels.size() == 1);
}
