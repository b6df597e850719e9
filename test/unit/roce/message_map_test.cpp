// SPDX-License-Identifier: BSD-3-Clause
#include "roce/message_map.hpp"

#include "base/rng.hpp"

#include <set>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;

namespace {

/// Returns the ranges of numbers below `total` that are not in `came`.
std::vector<MessageMap::Range> gaps(const std::set<std::uint64_t>& came, std::uint64_t total) {
  std::vector<MessageMap::Range> out;
  std::uint64_t next = 0;
  for (const std::uint64_t n : came) {
    if (n > next) out.push_back({next, n - 1});
    next = n + 1;
  }
  if (next < total) out.push_back({next, total - 1});
  return out;
}

std::vector<MessageMap::Range> ranges_of(const MessageMap& map) {
  return {map.ranges().begin(), map.ranges().end()};
}

}  // namespace

TEST_CASE("map: gaps, late arrivals, duplicates and a missing tail", "[map]") {
  MessageMap map(8);
  for (const std::uint64_t n : {0U, 1U, 5U, 6U, 3U, 3U, 9U}) map.arrived(n);
  CHECK(ranges_of(map) == std::vector<MessageMap::Range>{{2, 2}, {4, 4}, {7, 8}});
  map.finish(12);
  CHECK(ranges_of(map) == std::vector<MessageMap::Range>{{2, 2}, {4, 4}, {7, 8}, {10, 11}});
  CHECK(map.missing() == 6);
  CHECK(map.received() == 6);
  CHECK(map.late() == 1);
  CHECK(map.duplicate() == 1);
  map.finish(12);
  map.finish(3);
  CHECK(map.missing() == 6);
  map.arrived(11);
  map.finish(14);
  CHECK(ranges_of(map) == std::vector<MessageMap::Range>{{2, 2}, {4, 4}, {7, 8}, {10, 10}, {12, 13}});
}

TEST_CASE("map: nothing arrived at all", "[map]") {
  MessageMap map(1);
  map.finish(5);
  CHECK(ranges_of(map) == std::vector<MessageMap::Range>{{0, 4}});
  map.finish(7);
  CHECK(ranges_of(map) == std::vector<MessageMap::Range>{{0, 6}});
  CHECK(map.missing() == 7);
}

TEST_CASE("map: with enough room it is the complement of the set of arrivals", "[map]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    MessageMap map(4096);
    std::set<std::uint64_t> came;
    std::uint64_t top = 0;
    std::uint64_t duplicates = 0;
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t n = rng.below(4) == 0 ? rng.below(top + 1) : top + rng.below(3);
      duplicates += !came.insert(n).second;
      map.arrived(n);
      top = std::max(top, n + 1);
    }
    const std::uint64_t total = top + rng.below(3);
    map.finish(total);
    REQUIRE(ranges_of(map) == gaps(came, total));
    REQUIRE(map.missing() == total - came.size());
    REQUIRE(map.received() == came.size());
    REQUIRE(map.duplicate() == duplicates);
    REQUIRE(map.unlisted() == 0);
    REQUIRE(map.uncertain() == 0);
  }
}

TEST_CASE("map: ranges that do not fit are counted, and listed ones are always missing", "[map]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    const std::size_t capacity = rng.below(6);
    MessageMap map(capacity);
    std::set<std::uint64_t> came;
    std::uint64_t top = 0;
    for (int i = 0; i < 500; ++i) {
      const std::uint64_t n = rng.below(3) == 0 ? rng.below(top + 1) : top + rng.below(5) / 4 * rng.below(9);
      came.insert(n);
      map.arrived(n);
      top = std::max(top, n + 1);
      REQUIRE(map.ranges().size() <= capacity);
      std::uint64_t listed = 0;
      for (const auto& r : map.ranges()) {
        REQUIRE(r.first <= r.last);
        listed += r.last - r.first + 1;
        for (std::uint64_t m = r.first; m <= r.last; ++m) REQUIRE(came.count(m) == 0);
      }
      REQUIRE(listed + map.unlisted() == map.missing());
      // The map never reports too few missing messages. It may report too many, but at most by the number of
      // late arrivals that it could not assign to a gap.
      REQUIRE(map.missing() >= top - came.size());
      REQUIRE(map.missing() <= top - came.size() + map.uncertain());
    }
  }
}

TEST_CASE("32-bit counters are unwrapped to the nearest number", "[map]") {
  CHECK(unwrap_counter(5, 3) == 5U);
  CHECK(unwrap_counter(0, 3) == 0U);
  CHECK_FALSE(unwrap_counter(0xffffffff, 3));
  CHECK(unwrap_counter(2, 0xfffffff0) == 0x1'0000'0002U);
  CHECK(unwrap_counter(0xffffffff, 0x5'0000'0001) == 0x4'ffff'ffffU);
  CHECK(unwrap_counter(0x7fffffff, 0) == 0x7fffffffU);
  CHECK_FALSE(unwrap_counter(0x80000000, 0));
  Rng rng(5);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t near = rng.next() >> 8;
    const std::uint64_t n = std::max(near, std::uint64_t{0x7fff'ffff}) - 0x7fff'ffff + rng.below(0xffff'fffe);
    CHECK(unwrap_counter(static_cast<std::uint32_t>(n), near) == n);
  }
}
