// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/event_tree.hpp"

#include "base/rng.hpp"

#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

using softfeb::kNever;
using softfeb::Rng;
using softfeb::Time;
using softfeb::fabric::EventTree;

TEST_CASE("event tree: the earliest event; among equals, the lowest number") {
  for (const std::size_t parties : {1U, 2U, 3U, 7U, 64U, 290U}) {
    EventTree tree(parties);
    std::vector<Time> model(parties, kNever);
    Rng rng(parties);
    CHECK(tree.time() == kNever);
    for (int i = 0; i < 5000; ++i) {
      const auto party = static_cast<std::uint32_t>(rng.below(parties));
      const Time time = rng.chance(1U << 30) ? kNever : rng.below(50);
      tree.set(party, time);
      model[party] = time;
      const auto first = std::min_element(model.begin(), model.end());
      REQUIRE(tree.time() == *first);
      if (*first != kNever) REQUIRE(tree.party() == static_cast<std::size_t>(first - model.begin()));
    }
  }
}
