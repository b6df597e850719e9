// SPDX-License-Identifier: BSD-3-Clause
#include "engine/timing_wheel.hpp"

#include "base/rng.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using engine::TimingWheel;

TEST_CASE("entries expire at their times, compared with a plain list", "[wheel]") {
  Rng rng(42);
  // A wheel with a single entry has no slots.
  const std::size_t entries = GENERATE(1, 2, 200);
  for (int round = 0; round < 30; ++round) {
    TimingWheel wheel(entries, 1000);
    std::vector<std::optional<Time>> model(entries);
    Time now = rng.below(1'000'000'000);
    wheel.advance(now, [](std::uint32_t) { FAIL("nothing was scheduled"); });
    for (int step = 0; step < 2000; ++step) {
      const auto id = static_cast<std::uint32_t>(rng.below(entries));
      switch (rng.below(4)) {
        case 0:
        case 1: {
          // Choose times from now to far beyond the range of the wheel's four levels.
          const Time at = now + (rng.next() >> (20 + rng.below(44)));
          wheel.schedule(id, at);
          model[id] = at;
          break;
        }
        case 2:
          wheel.cancel(id);
          model[id].reset();
          break;
        default: {
          now += rng.next() >> (24 + rng.below(40));
          std::vector<std::uint32_t> got;
          wheel.advance(now, [&](std::uint32_t i) { got.push_back(i); });
          std::vector<std::uint32_t> want;
          for (std::uint32_t i = 0; i < entries; ++i) {
            if (model[i] && *model[i] <= now) {
              want.push_back(i);
              model[i].reset();
            }
          }
          std::sort(got.begin(), got.end());
          REQUIRE(got == want);
        }
      }
      Time first = kNever;
      for (const auto& m : model) first = std::min(first, m.value_or(kNever));
      REQUIRE(wheel.next() <= first);
      if (entries == 1) REQUIRE(wheel.next() == first);
      REQUIRE(wheel.empty() == (first == kNever));
      REQUIRE((wheel.next() == kNever) == (first == kNever));
    }
  }
}

TEST_CASE("next() reaches every expiry in a few steps", "[wheel]") {
  TimingWheel wheel(2, 1000);
  const Time at = 123'456'789'012'345;
  wheel.schedule(0, at);
  int steps = 0;
  bool expired = false;
  for (Time now = 0; !expired; ++steps) {
    REQUIRE(wheel.next() <= at);
    now = wheel.next();
    wheel.advance(now, [&](std::uint32_t) {
      expired = true;
      CHECK(now == at);
    });
    REQUIRE(steps < 2000);
  }
}

TEST_CASE("an expiring entry may be rescheduled, even for the past", "[wheel]") {
  TimingWheel wheel(GENERATE(1, 2), 1000);
  wheel.schedule(0, 500);
  int times = 0;
  wheel.advance(10'000, [&](std::uint32_t id) {
    if (++times < 5) wheel.schedule(id, 600 + times);
  });
  // While entries expire, the callback schedules entries for times in the past. They must expire in the same
  // call.
  CHECK(times == 5);
  CHECK(wheel.empty());
}

TEST_CASE("an expiring entry that is rescheduled for now waits", "[wheel]") {
  TimingWheel wheel(GENERATE(1, 2), 1000);
  wheel.schedule(0, 10'000);
  int times = 0;
  const auto expire = [&](std::uint32_t id) {
    ++times;
    wheel.schedule(id, 10'000);
  };
  wheel.advance(10'000, expire);
  CHECK(times == 1);
  wheel.advance(10'000, expire);
  CHECK(times == 2);
}
