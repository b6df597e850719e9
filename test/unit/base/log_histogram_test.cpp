// SPDX-License-Identifier: BSD-3-Clause
#include "base/log_histogram.hpp"

#include "base/rng.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;

TEST_CASE("an empty histogram", "[log_histogram]") {
  const auto h = std::make_unique<LogHistogram>();
  CHECK(h->count() == 0);
  CHECK(h->mean() == 0);
  CHECK(h->min() == 0);
  CHECK(h->max() == 0);
  CHECK(h->percentile(0.5) == 0);
}

TEST_CASE("small values, and one value alone, are exact", "[log_histogram]") {
  auto h = std::make_unique<LogHistogram>();
  for (std::uint64_t v = 1; v <= 100; ++v) h->add(v);
  CHECK(h->mean() == 50.5);
  CHECK(h->percentile(0.5) == 50);
  CHECK(h->percentile(0.99) == 99);
  CHECK(h->percentile(1) == 100);
  CHECK(h->percentile(0) == 1);
  for (const std::uint64_t v : {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128},
                                std::uint64_t{123'456'789}, LogHistogram::kLargest, UINT64_MAX}) {
    h = std::make_unique<LogHistogram>();
    h->add(v);
    CHECK(h->percentile(0.99) == static_cast<double>(std::min(v, LogHistogram::kLargest)));
  }
}

TEST_CASE("percentiles are within 0.8 % at any size", "[log_histogram]") {
  auto h = std::make_unique<LogHistogram>();
  Rng rng(1);
  std::vector<std::uint64_t> values;
  double sum = 0;
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(rng.next() >> (24 + rng.below(40)));
    h->add(values.back());
    sum += static_cast<double>(values.back());
  }
  std::sort(values.begin(), values.end());
  CHECK(h->min() == values.front());
  CHECK(h->max() == values.back());
  CHECK(h->mean() == Approx(sum / 20'000));
  for (const double share : {0.01, 0.1, 0.5, 0.9, 0.99, 0.999}) {
    const auto exact = static_cast<double>(values[static_cast<std::size_t>(std::ceil(share * 20'000)) - 1]);
    CHECK(std::abs(h->percentile(share) - exact) <= 0.0079 * exact);
  }
}

TEST_CASE("merged histograms equal one that has all values", "[log_histogram]") {
  auto all = std::make_unique<LogHistogram>();
  auto even = std::make_unique<LogHistogram>(), odd = std::make_unique<LogHistogram>();
  for (std::uint64_t v = 0; v < 100'000; v += 7) {
    all->add(v);
    (v % 2 == 0 ? *even : *odd).add(v);
  }
  *even += *odd;
  CHECK(*even == *all);
}
