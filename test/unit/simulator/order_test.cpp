// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/order.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using simulator::Order;

namespace {

struct Noted {
  Order order;
  int name = 0;
};

std::vector<int> merged(const std::vector<std::vector<Noted>>& logs) {
  std::vector<int> names;
  simulator::merge(std::span<const std::vector<Noted>>(logs),
                   [&](const Noted& n) { names.push_back(n.name); });
  return names;
}

}  // namespace

TEST_CASE("logs of parts merge in the order of a single event loop", "[order]") {
  CHECK(merged({}).empty());
  // Entries are ordered by time. Among entries with the same time, those of the network precede those of
  // endpoints; among these, the number of the party decides.
  CHECK(merged({{{{1, 10, 0, 4}, 1}, {{1, 20, 1, 0}, 4}}, {{{1, 10, 0, 6}, 2}, {{1, 20, 0, 9}, 3}}}) ==
        std::vector{1, 2, 3, 4});
  // Entries of a later step follow, even if their events have the same time.
  CHECK(merged({{{{2, 10, 0, 0}, 3}}, {{{1, 10, 1, 7}, 1}, {{1, 10, 1, 8}, 2}}}) == std::vector{1, 2, 3});
  // An event that was caused by another event of its part does not overtake that event.
  CHECK(merged({{{{1, 10, 0, 8}, 2}, {{1, 10, 0, 2}, 3}}, {{{1, 10, 0, 6}, 1}, {{1, 10, 0, 9}, 4}}}) ==
        std::vector{1, 2, 3, 4});
}
