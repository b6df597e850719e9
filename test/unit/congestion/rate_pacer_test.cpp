// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/rate_pacer.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::congestion;

TEST_CASE("packets follow the rate without drift", "[congestion]") {
  RatePacer pacer(3e9);  // 1000 bytes take 333,333 1/3 ps
  pacer.start(kSecond);
  Time now = kSecond;
  for (int i = 0; i < 3'000'000; ++i) {
    now = pacer.departure();
    pacer.sent(1000, now);
  }
  CHECK(pacer.departure() >= 2 * kSecond);
  CHECK(pacer.departure() <= 2 * kSecond + 10);  // rounding error of the doubles
}

TEST_CASE("a new rate moves a waiting packet", "[congestion]") {
  RatePacer pacer(1e9);
  pacer.start(0);
  pacer.sent(1000, 0);
  CHECK(pacer.departure() == kMicrosecond);
  // Half of the waiting time has passed. The remaining half doubles, because the rate is halved.
  pacer.set_rate(5e8, 500 * kNanosecond);
  CHECK(pacer.departure() == 1500 * kNanosecond);
  pacer.set_rate(1e9, 500 * kNanosecond);
  CHECK(pacer.departure() == kMicrosecond);
  pacer.set_rate(1e6, 2 * kMicrosecond);  // the packet is already due, so the new rate does not affect it
  CHECK(pacer.departure() == kMicrosecond);
}

TEST_CASE("a small delay is made up for, idle time is not", "[congestion]") {
  RatePacer pacer(1e9);
  pacer.start(0);
  pacer.sent(1000, 0);
  pacer.sent(1000, kMicrosecond + 700 * kNanosecond);
  CHECK(pacer.departure() == 2 * kMicrosecond);
  pacer.sent(1000, 50 * kMicrosecond);
  CHECK(pacer.departure() == 50 * kMicrosecond - RatePacer::kCatchUp + kMicrosecond);
}

TEST_CASE("extreme rates give times", "[congestion]") {
  RatePacer slow(1);
  slow.start(kSecond);
  slow.sent(4108, kSecond);
  CHECK(slow.departure() == 4109 * kSecond);
  slow.set_rate(1e-300, kSecond);
  CHECK(slow.departure() > 1000 * kSecond);
  CHECK(slow.departure() < kNever);
  RatePacer fast(1e18);
  fast.start(kSecond);
  for (int i = 0; i < 1000; ++i) fast.sent(1000, kSecond);
  CHECK(fast.departure() <= kSecond + 2);
}
