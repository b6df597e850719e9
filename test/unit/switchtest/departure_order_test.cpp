// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/departure_order.hpp"

#include <cmath>
#include <string>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

/// Departures at intervals of 1 µs. Each letter is the queue of a frame: a is queue 0.
std::vector<Departure> departures(const std::string& letters) {
  std::vector<Departure> out;
  for (const char c : letters)
    out.push_back({static_cast<std::size_t>(c - 'a'), (out.size() + 1) * kMicrosecond});
  return out;
}

std::string repeated(const std::string& part, unsigned times) {
  std::string out;
  for (unsigned i = 0; i < times; ++i) out += part;
  return out;
}

}  // namespace

TEST_CASE("Queues contend until the first of them is empty", "[switchtest]") {
  // Two frames of b leave while the queues are being filled. After that, a has strict priority.
  const auto strict = departures("bb" + repeated("a", 100) + repeated("b", 98));
  const auto all = contention(strict, 2);
  REQUIRE(all);
  CHECK(all->begin == 5);
  CHECK(all->end == 102);
  CHECK(all->frames == std::vector<std::uint64_t>{97, 0});
  CHECK_FALSE(whole_rounds(strict, *all));
  CHECK_FALSE(contention(departures(repeated("a", 100)), 2));
  CHECK_FALSE(contention(departures(repeated("ab", 9)), 2));
}

TEST_CASE("Whole rounds give the exact ratio of weights", "[switchtest]") {
  const auto order = departures(repeated("abbb", 40) + repeated("a", 80));
  const auto all = contention(order, 2);
  REQUIRE(all);
  CHECK(all->end == 160);
  const auto rounds = whole_rounds(order, *all);
  REQUIRE(rounds);
  CHECK(order[rounds->begin].queue == 0);
  CHECK(order[rounds->end].queue == 0);
  CHECK(rounds->frames[1] == 3 * rounds->frames[0]);
  const Interval ratio = frame_ratio(rounds->frames[1], rounds->frames[0]);
  CHECK(ratio.value == 3);
  CHECK(ratio.low < 3);
  CHECK(ratio.low > 2.8);
  CHECK(ratio.high > 3);
  CHECK(ratio.high < 3.2);
}

TEST_CASE("Shares of long and short frames give the overhead that is counted", "[switchtest]") {
  // The queues get equal bytes, because 1000 · (1000 + 20) = 10,000 · (82 + 20). With 20,000 frames, queue 1
  // gets twice the bytes.
  const Interval equal = accounted_overhead({{1'000, 10'000}, {1'000, 82}}, {1, 1, 1});
  CHECK(equal.value == Approx(20));
  CHECK(equal.low < 20);
  CHECK(equal.high > 20);
  CHECK(equal.high - equal.low < 1);
  CHECK(accounted_overhead({{1'000, 20'000}, {1'000, 82}}, {2, 2, 2}).value == Approx(20));
  const Interval unsure = accounted_overhead({{1'000, 10'000}, {1'000, 82}}, {1, 0.99, 1.01});
  CHECK(unsure.high - unsure.low > 1);
}

TEST_CASE("The rate of departures is that after an initial burst", "[switchtest]") {
  std::vector<Departure> order;
  for (std::uint64_t i = 0; i < 100; ++i) order.push_back({0, i * kNanosecond});
  for (std::uint64_t i = 1; i <= 300; ++i) order.push_back({0, kMicrosecond + i * kMicrosecond});
  const auto rate = departure_rate(order, 1'250, 0);
  REQUIRE(rate);
  CHECK(rate->value == Approx(1.25e9));
  CHECK(rate->low == Approx(1.25e9 * (1 - 1.0 / 199)));
  CHECK(rate->high == Approx(1.25e9 * (1 + 1.0 / 199)));
  // The rate is that of 199 frames in 199 us. The time error is 99.5 us, and the count may be wrong by one.
  const auto unsure = departure_rate(order, 1'250, 99'500 * kNanosecond);
  CHECK(unsure->low == Approx(198 * 1'250 / 298.5e-6));
  CHECK(unsure->high == Approx(200 * 1'250 / 99.5e-6));
  CHECK(std::isinf(departure_rate(order, 1'250, kMillisecond)->high));
  CHECK_FALSE(departure_rate(departures("aaa"), 1'250, 0));
}

TEST_CASE("Only frames that waited show a full queue", "[switchtest]") {
  std::vector<Departure> order;
  for (std::size_t i = 0; i < 100; ++i) order.push_back({i % 2, i * kMicrosecond, i * kMicrosecond / 10});
  const Contention all{10, 90, {40, 40}};
  const auto full = while_all_wait(order, all, 3 * kMicrosecond);
  REQUIRE(full);
  CHECK(full->begin == 30);
  CHECK(full->end == 90);
  CHECK(full->frames == std::vector<std::uint64_t>{30, 30});
  CHECK_FALSE(while_all_wait(order, all, 8 * kMicrosecond));
  for (Departure& d : order) d.queue = 0;
  CHECK_FALSE(while_all_wait(order, all, 3 * kMicrosecond));
}
