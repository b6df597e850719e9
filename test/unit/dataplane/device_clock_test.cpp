// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/device_clock.hpp"

#include "base/rng.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::dataplane;

namespace {

/// A device clock with frequency `hz`. It reads `start` when the time of the run is 0.
struct SomeDevice {
  double hz;
  std::uint64_t start;
  std::uint64_t at(Time t) const {
    return start +
           static_cast<std::uint64_t>(static_cast<long double>(t) * static_cast<long double>(hz) / 1e12L);
  }
};

std::uint64_t distance(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

}  // namespace

TEST_CASE("two readings give a device's clock", "[dataplane][pacing]") {
  // Test a ConnectX in real-time mode, a 156.25 MHz clock, a fast clock and a slow clock.
  for (const SomeDevice device :
       {SomeDevice{1e9, 1'700'000'000'000'000'000U}, SomeDevice{156.25e6 * 1.00002, 77}, SomeDevice{2.1e9, 5},
        SomeDevice{1e6, 0}}) {
    CAPTURE(device.hz);
    DeviceClock clock;
    CHECK_FALSE(clock.ready());
    clock.add({kSecond, device.at(kSecond)});
    CHECK_FALSE(clock.ready());
    clock.add({2 * kSecond, device.at(2 * kSecond)});
    REQUIRE(clock.ready());
    for (const Time t : {2 * kSecond, 2 * kSecond + 20 * kMicrosecond, 2 * kSecond + 1, 3 * kSecond,
                         2 * kSecond - 5 * kMicrosecond, kSecond}) {
      CAPTURE(t);
      CHECK(distance(clock.map().at(t), device.at(t)) <= 2);
    }
  }
}

TEST_CASE("a map is monotone", "[dataplane][pacing]") {
  DeviceClock clock;
  clock.add({kSecond, 1'000'000});
  clock.add({kSecond + 20 * kMillisecond, 1'000'000 + 3'125'017});
  Rng rng(3);
  Time t = kSecond;
  for (int i = 0; i < 10'000; ++i) {
    const Time next = t + rng.below(10'000);
    REQUIRE(clock.map().at(next) >= clock.map().at(t));
    t = next;
  }
}

TEST_CASE("a drifting clock is followed, and the error is reported", "[dataplane][pacing]") {
  DeviceClock clock;
  Time t = kSecond;
  long double ticks = 1e6L;
  for (int i = 0; i < 1000; ++i) {
    // A 1 GHz clock that runs 20 ppm fast from sample 300 to sample 600.
    const long double hz = i < 300 || i > 600 ? 1e9L : 1e9L * 1.00002L;
    clock.add({t, static_cast<std::uint64_t>(ticks)});
    if (i > 2) CHECK(clock.correction() <= 2100 * kNanosecond);  // 20 ppm of 100 ms are 2 µs
    t += 100 * kMillisecond;
    ticks += hz / 10;
  }
  // Long after the frequency has changed back, it no longer affects the corrections.
  CHECK(clock.correction() <= 2 * kNanosecond);
}

TEST_CASE("readings without progress change nothing", "[dataplane][pacing]") {
  DeviceClock clock;
  clock.add({kSecond, 1000});
  clock.add({kSecond, 2000});
  clock.add({2 * kSecond, 1000});
  CHECK_FALSE(clock.ready());
  clock.add({2 * kSecond, 1'000'001'000});
  REQUIRE(clock.ready());
  const std::uint64_t before = clock.map().at(3 * kSecond);
  clock.add({2 * kSecond, 3'000'001'000});
  CHECK(clock.map().at(3 * kSecond) == before);
}
