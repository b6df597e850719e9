// SPDX-License-Identifier: BSD-3-Clause
#include "engine/arrivals.hpp"

#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;

namespace {

std::vector<Time> taken(Arrivals& arrivals, std::size_t count) {
  std::vector<Time> times;
  while (times.size() < count) times.push_back(arrivals.take());
  return times;
}

}  // namespace

TEST_CASE("gaps have the mean and the variance of an exponential distribution", "[arrivals]") {
  constexpr double kMean = 12'345'678;
  constexpr std::size_t kCount = 1'000'000;
  Arrivals arrivals(kMean, 4);
  arrivals.start(0);
  double sum = 0, squares = 0;
  Time before = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const Time at = arrivals.take();
    const auto gap = static_cast<double>(at - before);
    sum += gap;
    squares += gap * gap;
    before = at;
  }
  const double mean = sum / kCount;
  CHECK(mean == Approx(kMean).epsilon(0.005));
  CHECK(squares / kCount - mean * mean == Approx(kMean * kMean).epsilon(0.01));
}

TEST_CASE("counts in equal intervals have equal mean and variance", "[arrivals]") {
  Arrivals arrivals(100 * kMicrosecond, 11);
  arrivals.start(0);
  constexpr int kIntervals = 20'000;
  double sum = 0, squares = 0;
  for (Time end = 1; end <= kIntervals; ++end) {
    double count = 0;
    for (; arrivals.next() < end * kMillisecond; ++count) arrivals.take();
    sum += count;
    squares += count * count;
  }
  const double mean = sum / kIntervals;
  CHECK(mean == Approx(10).epsilon(0.01));
  CHECK(squares / kIntervals - mean * mean == Approx(10).epsilon(0.04));
}

TEST_CASE("arrivals depend on the seed and the start only", "[arrivals]") {
  Arrivals a(1e6, 5), b(1e6, 5), c(1e6, 6);
  CHECK(a.next() == kNever);  // the process has not been started
  a.start(0);
  b.start(1000);
  c.start(0);
  b.start(77);  // a second start has no effect
  const std::vector<Time> first = taken(a, 100), second = taken(b, 100);
  for (std::size_t i = 0; i < first.size(); ++i) CHECK(second[i] == first[i] + 1000);
  CHECK(taken(c, 100) != first);
}

TEST_CASE("stopped arrivals leave the backlog", "[arrivals]") {
  Arrivals arrivals(1 * kMicrosecond, 8);
  arrivals.start(0);
  taken(arrivals, 3);
  const std::uint64_t waiting = arrivals.backlog(kMillisecond);
  CHECK(waiting > 900);
  CHECK(waiting < 1100);
  arrivals.stop(kMillisecond);
  CHECK_FALSE(arrivals.exhausted());
  CHECK(arrivals.backlog(kSecond) == waiting);
  std::uint64_t left = 0;
  for (; arrivals.next() != kNever; ++left) CHECK(arrivals.take() <= kMillisecond);
  CHECK(left == waiting);
  CHECK(arrivals.exhausted());
  CHECK(arrivals.backlog(kSecond) == 0);
}

TEST_CASE("arrivals that are stopped before they start", "[arrivals]") {
  Arrivals arrivals(1e6, 1);
  arrivals.stop(5);
  CHECK(arrivals.exhausted());
  arrivals.start(6);
  CHECK(arrivals.next() == kNever);
}
