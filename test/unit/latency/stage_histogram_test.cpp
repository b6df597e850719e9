// SPDX-License-Identifier: BSD-3-Clause
#include "latency/stage_histogram.hpp"

#include "base/rng.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using latency::StageHistogram;

TEST_CASE("stage histogram: buckets are contiguous, 32 to an octave") {
  CHECK(StageHistogram::lower(0) == 0);
  CHECK(StageHistogram::lower(1) == kNanosecond);
  CHECK(StageHistogram::lower(StageHistogram::kBuckets) == kNanosecond << 40);
  bool fit = true;
  for (std::size_t i = 0; i < StageHistogram::kBuckets; ++i) {
    const Time from = StageHistogram::lower(i), to = StageHistogram::lower(i + 1);
    fit = fit && from < to && StageHistogram::bucket_of(from) == i && StageHistogram::bucket_of(to - 1) == i;
    if (i != 0) fit = fit && (to - from) * 32 <= from + 32;
    // From the third octave on, the limits of buckets are whole picoseconds, so they double exactly.
    if (i > 96) fit = fit && StageHistogram::lower(i) == 2 * StageHistogram::lower(i - 32);
  }
  CHECK(fit);
  CHECK(StageHistogram::bucket_of(kNever) == StageHistogram::kBuckets - 1);
}

TEST_CASE("stage histogram: equal durations are exact") {
  StageHistogram h;
  for (int i = 0; i < 10; ++i) h.add(409'600);
  CHECK(h.count() == 10);
  CHECK(h.sum() == 4'096'000);
  for (const std::uint64_t p : {500, 900, 990, 999}) CHECK(h.percentile(p) == 409'600);
}

TEST_CASE("stage histogram: percentiles are by nearest rank") {
  StageHistogram h;
  CHECK(h.percentile(500) == 0);
  CHECK(h.min() == 0);
  Rng rng(7);
  std::vector<Time> all;
  for (int i = 0; i < 5'000; ++i) h.add(all.emplace_back(rng.below(kMillisecond) + kNanosecond));
  std::sort(all.begin(), all.end());
  CHECK(h.min() == all.front());
  CHECK(h.max() == all.back());
  for (const std::size_t p : {500U, 900U, 990U, 999U}) {
    const auto exact = static_cast<double>(all[(all.size() * p + 999) / 1000 - 1]);
    CHECK(static_cast<double>(h.percentile(p)) == Approx(exact).epsilon(1.0 / 64));
  }
}
