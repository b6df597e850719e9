// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/event_calendar.hpp"

#include "base/rng.hpp"
#include "fabric/event_tree.hpp"

#include <catch2/catch.hpp>

using softfeb::kMicrosecond;
using softfeb::kMillisecond;
using softfeb::kNanosecond;
using softfeb::kNever;
using softfeb::Rng;
using softfeb::Time;
using softfeb::fabric::EventCalendar;
using softfeb::fabric::EventTree;

namespace {

/// Returns a random time until the next event of a party. Most times are below `usual`; some are 0, very
/// short or very long.
Time some_delay(Rng& rng, Time usual) {
  switch (rng.below(16)) {
    case 0:
      return 0;
    case 1:
      return rng.below(100 * kMillisecond);
    case 2:
      return rng.below(usual / 100 + 1);
    default:
      return rng.below(usual);
  }
}

void check_equal(const EventCalendar& calendar, const EventTree& tree) {
  REQUIRE(calendar.time() == tree.time());
  if (tree.time() != kNever) REQUIRE(calendar.party() == tree.party());
}

}  // namespace

TEST_CASE("event calendar: the order of events is that of an event tree") {
  for (const std::size_t parties : {1U, 2U, 7U, 16U, 17U, 290U, 3000U}) {
    for (const Time usual : {kNanosecond, kMicrosecond, 100 * kMicrosecond}) {
      CAPTURE(parties, usual);
      EventCalendar calendar(parties);
      EventTree tree(parties);
      Rng rng(parties + usual);
      const auto set = [&](std::uint32_t party, Time time) {
        calendar.set(party, time);
        tree.set(party, time);
      };
      for (std::uint32_t p = 0; p < parties; ++p) set(p, some_delay(rng, usual));
      for (int i = 0; i < 30'000; ++i) {
        check_equal(calendar, tree);
        const Time now = tree.time() == kNever ? 0 : tree.time();
        // The party whose event takes place gets a new time, and so does a random party now and then.
        const bool never = rng.below(50) == 0;
        set(tree.party(), never ? kNever : now + some_delay(rng, usual));
        if (rng.below(3) == 0)
          set(static_cast<std::uint32_t>(rng.below(parties)), now + some_delay(rng, usual));
      }
    }
  }
}

TEST_CASE("event calendar: times that go back and forth within a day") {
  // The calendar has days only if there are more than 16 parties. Only three parties have events here.
  const std::size_t parties = GENERATE(3U, 20U);
  EventCalendar calendar(parties);
  EventTree tree(parties);
  Rng rng(1);
  for (int i = 0; i < 20'000; ++i) {
    const auto party = static_cast<std::uint32_t>(rng.below(3));
    const Time time = rng.below(8) == 0 ? kNever : rng.below(40);
    calendar.set(party, time);
    tree.set(party, time);
    CHECK(calendar.time_of(party) == time);
    check_equal(calendar, tree);
  }
}

TEST_CASE("event calendar: the coming events follow the earliest one in order") {
  EventCalendar calendar(100);
  for (std::uint32_t p = 0; p < 100; ++p) calendar.set(p, 1000 + 10 * ((p * 37) % 100));
  const auto coming = calendar.coming();
  REQUIRE(coming.size() == 99);
  CHECK(coming[0].time == 1010);
  CHECK(coming[98].time == 1990);
  const std::uint64_t day = calendar.day();
  calendar.set(calendar.party(), kMillisecond);
  CHECK(calendar.coming().size() == 98);
  CHECK(calendar.day() == day);
}

TEST_CASE("event calendar: without events, there is no time") {
  EventCalendar calendar(GENERATE(2U, 20U));
  CHECK(calendar.time() == kNever);
  calendar.set(1, 5 * kMillisecond);
  CHECK(calendar.time() == 5 * kMillisecond);
  calendar.set(1, kNever);
  CHECK(calendar.time() == kNever);
  CHECK(calendar.coming().empty());
  calendar.set(0, 3);
  CHECK(calendar.party() == 0);
}
