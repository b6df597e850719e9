// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/leftist_heap.hpp"

#include "base/rng.hpp"
#include "support/counting_memory.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::congestion;
using softfeb::test::CountingMemory;

TEST_CASE("heaps agree with sorted sets through random operations", "[leftist_heap]") {
  constexpr std::uint32_t kEntries = 300, kHeaps = 3;
  CountingMemory memory;
  LeftistHeap heap(kEntries, &memory);
  std::pmr::vector<std::uint32_t> out, frontier;
  out.reserve(kEntries);
  frontier.reserve(kEntries + 1);
  std::vector<std::uint64_t> key(kEntries);
  const auto less = [&](std::uint32_t a, std::uint32_t b) { return key[a] < key[b]; };
  std::array<std::uint32_t, kHeaps> roots{LeftistHeap::kNone, LeftistHeap::kNone, LeftistHeap::kNone};
  std::array<std::set<std::pair<std::uint64_t, std::uint32_t>>, kHeaps> wanted;
  const std::size_t allocated = memory.allocations();
  Rng rng(5);
  std::uint64_t unique = 0;
  for (int step = 0; step < 20'000; ++step) {
    const auto i = static_cast<std::uint32_t>(rng.below(kEntries));
    const std::uint32_t h = i % kHeaps;
    // In the first half of the test, entries are mostly added; in the second half, mostly removed.
    if (!heap.contains(i)) {
      if (rng.below(10) >= (step < 10'000 ? 9U : 3U)) continue;
      key[i] = rng.below(1000) << 32 | unique++;
      heap.push(roots[h], i, less);
      wanted[h].emplace(key[i], i);
    } else if (rng.below(2) == 0) {
      wanted[h].erase({key[i], i});
      key[i] -= std::min(key[i] >> 32, rng.below(200)) << 32;
      heap.decreased(roots[h], i, less);
      wanted[h].emplace(key[i], i);
    } else {
      wanted[h].erase({key[i], i});
      heap.erase(roots[h], i, less);
    }
    REQUIRE(heap.contains(i) == wanted[h].contains({key[i], i}));
    const std::size_t count = rng.below(8);
    out.clear();
    heap.smallest(roots[h], count, out, frontier, less);
    REQUIRE(out.size() == std::min(count, wanted[h].size()));
    auto at = wanted[h].begin();
    for (const std::uint32_t entry : out) REQUIRE(entry == (at++)->second);
    REQUIRE((roots[h] == LeftistHeap::kNone) == wanted[h].empty());
  }
  CHECK(memory.allocations() == allocated);
}

TEST_CASE("operations take logarithmic time on ascending, descending and equal keys", "[leftist_heap]") {
  constexpr std::uint32_t kEntries = 10'000, kLog = 14;
  for (const int order : {1, -1, 0}) {
    LeftistHeap heap(kEntries, std::pmr::new_delete_resource());
    std::uint64_t comparisons = 0;
    const auto key = [&](std::uint32_t i) { return static_cast<int>(i) * order; };
    const auto less = [&](std::uint32_t a, std::uint32_t b) {
      ++comparisons;
      return key(a) < key(b);
    };
    std::uint32_t root = LeftistHeap::kNone;
    for (std::uint32_t i = 0; i < kEntries; ++i) heap.push(root, i, less);
    std::uint32_t previous = root, count = 0;
    for (; root != LeftistHeap::kNone; ++count) {
      REQUIRE(key(previous) <= key(root));
      previous = root;
      heap.erase(root, previous, less);
    }
    CHECK(count == kEntries);
    CHECK(comparisons <= 2 * kEntries * 2 * kLog);
  }
}
