// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/missing_list.hpp"

#include "switchtest/soak_log.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

TEST_CASE("Frames are missing until they arrive late", "[switchtest]") {
  MissingList list;
  list.prepare();
  list.skip(1, 3, 6, 100);  // frame 6 arrives directly after frame 2
  list.skip(2, 0, 1, 200);
  list.found(1, 4);
  list.found(1, 4);
  REQUIRE(list.frames().size() == 3);
  CHECK(list.frames()[0].sequence == 3);
  CHECK(list.frames()[1].sequence == 5);
  CHECK(list.frames()[1].before == 100);
  CHECK(list.frames()[2].kind == 2);
  list.prepare();
  CHECK(list.frames().empty());
  list.skip(0, 10, std::uint64_t{1} << 40, 1);
  CHECK(list.frames().size() == MissingList::kMost);
}

TEST_CASE("Frames after the last one that arrived are missing, too", "[switchtest]") {
  TrialResult result;
  result.kinds.resize(2);
  result.kinds[0] = {.sent = 10, .arrived = 7, .next = 8};
  result.kinds[1] = {.sent = 5, .arrived = 5, .next = 5};
  result.missing.push_back({.kind = 0, .sequence = 4, .before = 50});
  list_last_frames(result);
  REQUIRE(result.missing.size() == 3);
  CHECK(result.missing[1].sequence == 8);
  CHECK(result.missing[2].sequence == 9);
  CHECK(result.missing[2].before == kNever);
}

TEST_CASE("A soak log numbers frames over all samples", "[switchtest]") {
  SoakLog log;
  for (int i = 0; i < 4; ++i) {
    TrialResult result;
    result.kinds.resize(1);
    result.kinds[0] = {.sent = 100, .arrived = 98, .next = 99};
    result.missing.push_back({.kind = 0, .sequence = 7, .before = kSecond});
    result.latency.resize(1);
    for (int n = 0; n < 98; ++n) result.latency[0].add((1000 + 100 * static_cast<Time>(i)) * kNanosecond);
    const Time began = static_cast<Time>(i) * 3600 * kSecond;
    log.add(result, began, began + 60 * kSecond);
  }
  CHECK(log.totals().missing() == 8);
  REQUIRE(log.missing().size() == 8);
  CHECK(log.missing()[2].sequence == 107);
  CHECK(log.missing()[2].before == 3601 * kSecond);
  CHECK(log.missing()[3].sequence == 199);
  CHECK(log.missing()[3].before == 3660 * kSecond);
  const auto drift = log.drift();
  REQUIRE(drift);
  CHECK(drift->value == Approx(100).epsilon(0.001));
}

TEST_CASE("Quantiles are interpolated", "[switchtest]") {
  latency::StageHistogram histogram;
  CHECK(quantile(histogram, 0.5) == 0);
  for (Time t = 1; t <= 10'000; ++t) histogram.add(t * kNanosecond);
  CHECK(quantile(histogram, 0.5) == Approx(5e6).epsilon(0.001));
  CHECK(quantile(histogram, 0.99) == Approx(9.9e6).epsilon(0.001));
  CHECK(quantile(histogram, 1) == Approx(1e7));
}
