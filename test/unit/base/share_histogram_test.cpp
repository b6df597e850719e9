// SPDX-License-Identifier: BSD-3-Clause
#include "base/share_histogram.hpp"

#include <catch2/catch.hpp>

using softfeb::ShareHistogram;

TEST_CASE("quantiles of shares have the nearest rank") {
  ShareHistogram h;
  for (int i = 1; i <= 10; ++i) h.add(i / 10.0);
  CHECK(h.count() == 10);
  CHECK(h.quantile(0) == Approx(0.1));
  CHECK(h.quantile(0.1) == Approx(0.1));
  CHECK(h.quantile(0.5) == Approx(0.5));
  CHECK(h.quantile(0.51) == Approx(0.6));
  CHECK(h.quantile(0.9) == Approx(0.9));
  CHECK(h.quantile(1) == Approx(1.0));
}

TEST_CASE("shares are rounded and limited") {
  ShareHistogram h;
  h.add(-1, 3);
  h.add(0.12345);
  h.add(7);
  CHECK(h.count() == 5);
  CHECK(h.quantile(0.6) == 0);
  CHECK(h.quantile(0.8) == Approx(0.123));
  CHECK(h.quantile(1) == 1);
}
