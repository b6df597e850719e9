// SPDX-License-Identifier: BSD-3-Clause
#include "base/exponential.hpp"

#include "base/rng.hpp"

#include <cmath>

#include <catch2/catch.hpp>

using namespace softfeb;

TEST_CASE("exponential values are the logarithm to the last digits", "[exponential]") {
  Rng rng(3);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t bits = rng.next();
    const double exact = -std::log((static_cast<double>(bits >> 12) + 0.5) * 0x1p-52);
    const double value = exponential(bits);
    if (std::abs(value - exact) > 2e-15 * std::max(exact, 1e-3)) FAIL(bits << ": " << value << ' ' << exact);
  }
}

TEST_CASE("the largest and smallest exponential values", "[exponential]") {
  CHECK(exponential(0) == Approx(53 * std::log(2.0)));
  CHECK(exponential(UINT64_MAX) > 0);
  CHECK(exponential(UINT64_MAX) < 1e-15);
}
