// SPDX-License-Identifier: BSD-3-Clause
#include "base/divider.hpp"

#include "base/rng.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;

TEST_CASE("a prepared divisor gives the CPU's quotient", "[divider]") {
  Rng rng(2);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t d = (rng.next() >> rng.below(64)) | 1U << (i % 3);
    const Divider divider(d);
    const std::uint64_t n = rng.next() >> rng.below(64);
    REQUIRE(divider.quotient(n) == n / d);
    // Test around multiples, where rounding errors would show.
    const std::uint64_t multiple = n / d * d;
    REQUIRE(divider.quotient(multiple) == n / d);
    REQUIRE(divider.quotient(multiple - 1) == (multiple - 1) / d);
    REQUIRE(divider.quotient(UINT64_MAX) == UINT64_MAX / d);
    REQUIRE(divider.quotient(UINT64_MAX / d) == UINT64_MAX / d / d);
  }
}

TEST_CASE("a divisor of one returns the number", "[divider]") {
  CHECK(Divider(1).quotient(0) == 0);
  CHECK(Divider(1).quotient(UINT64_MAX) == UINT64_MAX);
  CHECK(Divider().quotient(17) == 17);
  CHECK(Divider(UINT64_MAX).quotient(UINT64_MAX) == 1);
}
