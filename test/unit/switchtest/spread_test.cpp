// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/spread.hpp"

#include <array>

#include <catch2/catch.hpp>

using namespace softfeb::switchtest;

TEST_CASE("The spread of flows over paths", "[switchtest]") {
  const Spread even = spread_of(std::array<std::uint64_t, 4>{10, 10, 10, 10});
  CHECK(even.mmr == 1);
  CHECK(even.jain == Approx(1));
  CHECK(even.p_value == 1);
  // The mean is 10. Chi-square is (25 + 25) / 10 = 5 with 1 degree of freedom, so p = 0.0253.
  const Spread uneven = spread_of(std::array<std::uint64_t, 2>{15, 5});
  CHECK(uneven.mmr == 1.5);
  CHECK(uneven.jain == Approx(400.0 / (2 * 250)));
  CHECK(uneven.p_value == Approx(0.0253).margin(1e-4));
  CHECK(spread_of(std::array<std::uint64_t, 2>{0, 0}).mmr == 1);
}

TEST_CASE("Ideal hashes are as uneven as chance makes them", "[switchtest]") {
  const IdealSpread ideal = ideal_spread(1024, 4, 1000, 1);
  // The number of flows on a path has the standard deviation sqrt(1024 · 3/16) = 13.9, or 5.4 % of 256. The
  // mean maximum of four independent normal variables is 1.03 standard deviations; with their correlation of
  // -1/3, it is larger by a factor of sqrt(4/3).
  CHECK(ideal.mmr.value == Approx(1.063).margin(0.005));
  CHECK(ideal.mmr.low > 1.0);
  CHECK(ideal.mmr.low < 1.03);
  CHECK(ideal.mmr.high > 1.10);
  CHECK(ideal.mmr.high < 1.15);
  // 1/J - 1 is chi-square / n, whose mean is 3/1024.
  CHECK(ideal.jain.value == Approx(1 - 2.37 / 1024).margin(3e-4));
  CHECK(ideal.jain.high <= 1);
  CHECK(ideal_spread(100, 1, 10, 1).mmr.high == 1);
}
