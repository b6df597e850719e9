// SPDX-License-Identifier: BSD-3-Clause
#include "engine/pacer.hpp"

#include "base/rng.hpp"
#include "base/uint128.hpp"
#include "engine/link_shaper.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using engine::LinkShaper;
using engine::Pacer;

TEST_CASE("a punctual sender keeps the rate to the byte, with remainders carried", "[pacer]") {
  for (const std::uint64_t rate : {12'500'000ULL, 1'250'000'000ULL, 999'999'937ULL, 12'500'000'000ULL}) {
    Pacer pacer(rate);
    pacer.start(0);
    std::uint64_t bytes = 0;
    while (pacer.departure() < kSecond) {
      const Time now = pacer.departure();
      pacer.sent(4096, now);
      bytes += 4096;
    }
    CHECK(bytes >= rate);
    CHECK(bytes < rate + 4096);
  }
}

TEST_CASE("spacing is the division with its remainder carried, for any sizes", "[pacer]") {
  Rng rng(5);
  for (const std::uint64_t rate : {1ULL, 7ULL, 12'499'999ULL, 999'999'937ULL, 50'000'000'000ULL}) {
    engine::Spacing spacing(rate);
    std::uint64_t carried = 0;
    for (int k = 0; k < 2000; ++k) {
      const std::uint64_t units = rng.chance(3ULL << 30) ? 4096 : rng.below(5000);
      const Uint128 total = Uint128{units} * kSecond + carried;
      carried = static_cast<std::uint64_t>(total % rate);
      REQUIRE(spacing.next(units) == static_cast<Time>(total / rate));
    }
  }
}

TEST_CASE("a rate per interval is exact, for any sizes", "[pacer]") {
  Rng rng(6);
  for (const Time interval : {Time{1}, 81'920 * kNanosecond, 20'971'520 * kNanosecond, 3600 * kSecond}) {
    for (const std::uint64_t rate : {1ULL, 3ULL, 999'999'937ULL}) {
      engine::Spacing spacing(rate, interval);
      std::uint64_t carried = 0;
      for (int k = 0; k < 200; ++k) {
        const std::uint64_t units = rng.chance(3ULL << 30) ? 4 : rng.below(5);
        const Uint128 total = Uint128{units} * interval + carried;
        carried = static_cast<std::uint64_t>(total % rate);
        REQUIRE(spacing.next(units) == static_cast<Time>(total / rate));
      }
    }
  }
}

TEST_CASE("with a period, message n is due at n periods, also after a billion messages", "[pacer]") {
  constexpr Time kBegin = 12'345;
  constexpr std::uint64_t kBillion = 1'000'000'000;
  // Three periods: one of 16 samples at 195,312.5/s, one that is a prime number of picoseconds, and one that
  // is shorter than an iteration of a worker's loop.
  for (const Time period : {81'920 * kNanosecond, Time{1'000'000'007}, Time{99'988}}) {
    Pacer pacer = Pacer::every(period);
    CHECK_FALSE(pacer.unlimited());
    pacer.start(kBegin);
    const auto check = [&](std::uint64_t from, std::uint64_t to) {
      for (std::uint64_t n = from; n < to; ++n) {
        if (pacer.departure() != kBegin + n * period) FAIL("message " << n << " at " << pacer.departure());
        pacer.sent(1, pacer.departure());
      }
    };
    check(0, 100'000);
    pacer.sent(kBillion - 200'000, pacer.departure());  // skip ahead: count these messages in a single call
    check(kBillion - 100'000, kBillion);
    CHECK(pacer.departure() == kBegin + kBillion * period);
  }
}

TEST_CASE("with a period, overdue messages are sent, and the schedule never moves", "[pacer]") {
  constexpr Time kPeriod = 81'920 * kNanosecond;
  Pacer pacer = Pacer::every(kPeriod);
  pacer.start(0);
  const Time end = 3 * kSecond;
  Time now = 500 * kMillisecond;  // a pacer with a rate would not catch up after such a delay
  Time last = 0, shortest = kNever;
  std::uint64_t sent = 0;
  for (; now < end; now = std::max(now, pacer.departure())) {
    pacer.sent(1, now);
    ++sent;
    if (last != 0) shortest = std::min(shortest, now - last);
    last = now;
  }
  CHECK(sent == (end + kPeriod - 1) / kPeriod);
  CHECK(pacer.departure() == sent * kPeriod);
  CHECK(pacer.given_up() == 0);
  CHECK(shortest == kPeriod - kPeriod / 4);
}

TEST_CASE("a late sender catches up without a burst", "[pacer]") {
  Pacer pacer(1'000'000'000);  // 1000 bytes per microsecond
  pacer.start(0);
  Time now = 0;
  std::uint64_t sent = 0;
  for (; now < 100 * kMicrosecond; now = pacer.departure()) {
    pacer.sent(1000, now);
    ++sent;
  }
  now += 50 * kMicrosecond;  // the worker is preempted
  Time last = 0;
  Time shortest = kNever;
  for (; now < kMillisecond; now = std::max(now, pacer.departure())) {
    pacer.sent(1000, now);
    ++sent;
    if (last != 0) shortest = std::min(shortest, now - last);
    last = now;
  }
  // While the pacer catches up, it shortens each gap by a sixteenth, but at least by 100 ns, the time of one
  // iteration of the worker's loop.
  CHECK(shortest == kMicrosecond - 100 * kNanosecond);
  CHECK(sent == 1000);  // after a millisecond, no packet is missing
}

TEST_CASE("far behind it catches up faster, still without a burst", "[pacer]") {
  Pacer pacer(1'000'000'000);
  pacer.start(0);
  Time now = 20 * kMillisecond;  // the worker is preempted for the first 20 ms
  std::uint64_t sent = 0;
  Time last = 0;
  Time shortest = kNever;
  for (; now < 100 * kMillisecond; now = std::max(now, pacer.departure())) {
    pacer.sent(1000, now);
    ++sent;
    if (last != 0) shortest = std::min(shortest, now - last);
    last = now;
  }
  CHECK(shortest == kMicrosecond - kMicrosecond / 4);
  CHECK(sent == 100'000);
}

TEST_CASE("`burst` packets may leave back to back, no more", "[pacer]") {
  Pacer pacer(1'000'000'000, 4);
  pacer.start(0);
  const Time now = 20 * kMicrosecond;
  int together = 0;
  while (pacer.departure() <= now) {
    pacer.sent(1000, now);
    ++together;
  }
  CHECK(together == 4);
}

TEST_CASE("lateness beyond the limit is given up and counted", "[pacer]") {
  Pacer pacer(1'000'000'000);
  pacer.start(0);
  pacer.sent(1000, kSecond);
  CHECK(pacer.given_up() == kSecond - 100 * kMillisecond);
}

TEST_CASE("the link never carries more than its rate and slack", "[shaper]") {
  constexpr std::uint64_t kLinkRate = 1'250'000'000;
  LinkShaper link(kLinkRate);
  Rng rng(9);
  Time now = 0;
  std::uint64_t wire = 0;
  while (now < kSecond / 10) {
    now += rng.below(3 * kMicrosecond);
    while (link.open(now)) {
      const auto n = static_cast<std::uint32_t>(60 + rng.below(4100));
      link.sent(n, now);
      wire += n + 24;
    }
  }
  // The link carries 10 Gb/s. The total may exceed this by the slack and the last frame.
  CHECK(wire <= static_cast<std::uint64_t>(to_seconds(now) * kLinkRate) + 2500 + 4200);
  CHECK(wire >= static_cast<std::uint64_t>(to_seconds(now) * kLinkRate * 0.9));
}
