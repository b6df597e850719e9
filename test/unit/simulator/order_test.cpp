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
  // Entries are ordered by time. At equal times, entries of the network (phase 0) precede those of endpoints
  // (phase 1). Within a phase, the entry with the lower party number is first.
  CHECK(merged({{{{1, 10, 0, 4}, 1}, {{1, 20, 1, 0}, 4}}, {{{1, 10, 0, 6}, 2}, {{1, 20, 0, 9}, 3}}}) ==
        std::vector{1, 2, 3, 4});
  // Entries of step 2 follow those of step 1, even if their times are equal.
  CHECK(merged({{{{2, 10, 0, 0}, 3}}, {{{1, 10, 1, 7}, 1}, {{1, 10, 1, 8}, 2}}}) == std::vector{1, 2, 3});
  // The entries of one log keep their order, because an event may have caused the next one at the same time.
  CHECK(merged({{{{1, 10, 0, 8}, 2}, {{1, 10, 0, 2}, 3}}, {{{1, 10, 0, 6}, 1}, {{1, 10, 0, 9}, 4}}}) ==
        std::vector{1, 2, 3, 4});
}
