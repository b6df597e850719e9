// SPDX-License-Identifier: BSD-3-Clause
#include "hosts/clock_difference.hpp"

#include "base/rng.hpp"

#include <initializer_list>

#include <catch2/catch.hpp>

using softfeb::Rng;
using softfeb::hosts::ClockDifference;
using softfeb::hosts::ClockReading;

namespace {

/// Measures a clock that is ahead by `ahead`, with random delays of up to 20 µs in each direction.
ClockDifference measured(std::int64_t ahead, std::uint64_t seed, int answers) {
  Rng rng(seed);
  ClockDifference d;
  std::int64_t there = 1'700'000'000'000'000'000;
  for (int i = 0; i < answers; ++i) {
    const auto to = static_cast<std::int64_t>(2'000 + rng.below(20'000));
    const auto back = static_cast<std::int64_t>(2'000 + rng.below(20'000));
    d.add(there - to + ahead, there, there + back + ahead);
    there += 50'000;
  }
  return d;
}

ClockReading reading(std::int64_t low, std::int64_t high) {
  ClockDifference d;
  d.add(low, 0, high);
  return ClockReading(d);
}

}  // namespace

TEST_CASE("the bounds of a clock difference contain the true one, and narrow with each answer") {
  for (const std::int64_t ahead : std::initializer_list<std::int64_t>{0, 3'000, -250'000, 5'000'000'000}) {
    const ClockDifference once = measured(ahead, 7, 1), often = measured(ahead, 7, 500);
    REQUIRE(often.known());
    CHECK(often.offset() - often.bound() <= ahead);
    CHECK(often.offset() + often.bound() >= ahead);
    CHECK(often.bound() < once.bound());
    // The shortest of 500 delays in each direction is close to 2 µs.
    CHECK(often.bound() < 2'500);
    CHECK(often.bound() >= 2'000);
  }
}

TEST_CASE("a clock difference is unknown without answers, and if a clock was stepped") {
  CHECK_FALSE(ClockDifference().known());
  CHECK_FALSE(ClockReading(ClockDifference()).within(1'000'000'000));
  CHECK_FALSE(ClockReading(ClockDifference()).exceeds(0));
  ClockDifference d;
  d.add(1'000, 0, 3'000);
  CHECK(d.known());
  d.add(101'000, 0, 103'000);
  CHECK_FALSE(d.known());
}

TEST_CASE("a clock difference exceeds a limit, is within it, or neither") {
  CHECK(reading(8'000, 12'000).offset_ns == 10'000);
  CHECK(reading(8'000, 12'000).bound_ns == 2'000);
  CHECK(reading(8'000, 12'000).exceeds(7'999));
  CHECK_FALSE(reading(8'000, 12'000).exceeds(8'000));
  CHECK(reading(8'000, 12'000).within(12'000));
  CHECK_FALSE(reading(8'000, 12'000).within(11'999));
  CHECK(reading(-12'000, -8'000).exceeds(7'999));
  CHECK(reading(-12'000, -8'000).within(12'000));
  CHECK_FALSE(reading(-5'000, 5'000).exceeds(1'000));
  CHECK_FALSE(reading(-5'000, 5'000).within(1'000));
}
