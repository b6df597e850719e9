// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/queue_groups.hpp"

#include <map>

#include <catch2/catch.hpp>

using namespace softfeb::switchtest;

namespace {

/// Answers questions as a switch does that serves the frames of item i from queue `queue[i]`. The queues have
/// strict priorities, except that queues up to `shared` have the same priority. While a frame waits in one of
/// the queues of equal priority, each of the others can send at most `round` frames before it.
struct ModelOrder {
  std::vector<int> queue;
  int shared = -1;  ///< queues up to this number have the same priority; -1: no queues
  /// Number of frames that each other queue of the same priority sends before a waiting frame.
  std::size_t round = 2;
  int asked = 0;

  std::optional<std::vector<bool>> operator()(const OrderQuestion& q) {
    ++asked;
    std::vector<bool> out;
    std::map<int, std::size_t> before;
    for (const std::size_t other : q.others) {
      const int a = queue[q.item], b = queue[other];
      const int first = q.others_first ? b : a, last = q.others_first ? a : b;
      const bool both_shared = a <= shared && b <= shared;
      // If the two queues have the same priority, a frame that enters later overtakes the end of a long
      // backlog in the other queue. If many frames enter later, only `round` of each queue overtake it.
      out.push_back(a != b && (both_shared ? before[b]++ < round : last > first));
    }
    return out;
  }
};

std::vector<ItemList> groups_of(ModelOrder model) {
  ItemList items(model.queue.size());
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = i;
  const auto out = groups_by_order(items, std::ref(model));
  REQUIRE(out);
  CHECK(model.asked <= 4 * static_cast<int>(items.size()));
  return *out;
}

}  // namespace

TEST_CASE("Items in one queue form one group", "[switchtest]") {
  CHECK(groups_of({{1, 1, 1}}) == std::vector<ItemList>{{0, 1, 2}});
  CHECK(groups_of({{0}}) == std::vector<ItemList>{{0}});
  CHECK(groups_by_order({}, [](const auto&) { return std::nullopt; })->empty());
}

TEST_CASE("Strict queues are told apart, whichever is higher", "[switchtest]") {
  CHECK(groups_of({{5, 3, 7, 3, 5}}) == std::vector<ItemList>{{0, 4}, {1, 3}, {2}});
  CHECK(groups_of({{1, 2, 3, 4}}) == std::vector<ItemList>{{0}, {1}, {2}, {3}});
  CHECK(groups_of({{4, 3, 2, 1}}) == std::vector<ItemList>{{0}, {1}, {2}, {3}});
}

TEST_CASE("Weighted queues are told apart although few items overtake at once", "[switchtest]") {
  ModelOrder model{{0, 1, 1, 1, 1, 1, 2, 0, 9}, 2, 2};
  CHECK(groups_of(model) == std::vector<ItemList>{{0, 7}, {1, 2, 3, 4, 5}, {6}, {8}});
}

TEST_CASE("Groups need an answer to each question", "[switchtest]") {
  CHECK_FALSE(groups_by_order({0, 1}, [](const OrderQuestion&) { return std::nullopt; }));
  CHECK_FALSE(groups_by_order({0, 1}, [](const OrderQuestion& q) -> std::optional<std::vector<bool>> {
    if (q.others_first) return std::nullopt;
    return std::vector<bool>(q.others.size());
  }));
}
