// SPDX-License-Identifier: BSD-3-Clause
#include "detector/event_time.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::detector;

TEST_CASE("the clocks of a kernel that knows TAI differ by whole seconds") {
  constexpr std::uint64_t kUtc = 1'800'000'000'400'000'000;
  constexpr std::uint64_t kSecondNs = 1'000'000'000;
  CHECK(tai_ahead(kUtc, kUtc + 38 * kSecondNs) == 38);
  // The result is rounded, because the two clocks are read one after the other and may be adjusted between
  // the readings.
  CHECK(tai_ahead(kUtc, kUtc + 38 * kSecondNs + 300'000'000) == 38);
  CHECK(tai_ahead(kUtc, kUtc + 37 * kSecondNs + 999'999'000) == 38);
  CHECK(tai_ahead(kUtc, kUtc + 1 * kSecondNs) == 1);
}

TEST_CASE("a kernel whose TAI equals UTC does not know TAI") {
  constexpr std::uint64_t kUtc = 1'800'000'000'400'000'000;
  CHECK(tai_ahead(kUtc, kUtc) == kTaiAhead);
  CHECK(tai_ahead(kUtc, kUtc + 499'999'999) == kTaiAhead);
  CHECK(tai_ahead(kUtc, kUtc - 5'000'000'000) == kTaiAhead);
}

TEST_CASE("TAI has the leap seconds that a time since 1970 lacks") {
  CHECK(tai_of(1'800'000'000'400'000'001) == EventTime{1'800'000'037, 1'600'000'004});
  CHECK(tai_of(1'800'000'000'400'000'001, 38) == EventTime{1'800'000'038, 1'600'000'004});
}
