// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/shared_triggers.hpp"

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::dataplane;

namespace {

constexpr Time kStart = 5 * kMillisecond;

engine::TriggerBusConfig config() {
  engine::TriggerBusConfig c;
  c.sources = {{.rate_hz = 100'000, .seed = 3},
               {.kind = detector::TriggerSourceConfig::Kind::kPeriodic, .rate_hz = 1000}};
  c.dead_time = 7 * kMicrosecond;
  c.boards = 2;
  return c;
}

void advance(engine::TriggerFeed& feed, Time now) {
  do {
    feed.advance(now);
  } while (feed.next() < now);
}

std::vector<detector::Trigger> all(engine::TriggerFeed& feed) {
  std::vector<detector::Trigger> list;
  for (std::uint64_t i = feed.oldest(); i < feed.accepted(); ++i) list.push_back(feed.trigger(i));
  return list;
}

}  // namespace

TEST_CASE("triggers shared between workers are those of one thread", "[events]") {
  SharedTriggers shared(config());
  engine::TriggerBus bus(config());
  CHECK(shared.next() == kNever);
  CHECK_FALSE(shared.over());
  shared.begin(kStart, {1000, 8});
  bus.begin(kStart);
  CHECK(shared.origin() == detector::EventTime{1000, 8});
  for (engine::TriggerFeed* feed :
       {static_cast<engine::TriggerFeed*>(&shared), static_cast<engine::TriggerFeed*>(&bus)}) {
    feed->end(kStart + 20 * kMillisecond);
    advance(*feed, kStart + 5 * kMillisecond);
    feed->report(1, true, kStart + 5 * kMillisecond);
    advance(*feed, kStart + 6 * kMillisecond);
    feed->report(1, false, kStart + 6 * kMillisecond);
    CHECK_FALSE(feed->over());
    advance(*feed, kStart + kSecond);
    CHECK(feed->over());
  }
  CHECK(all(shared) == all(bus));
  CHECK(shared.accepted() > 1000);
  CHECK(shared.counts()[0].busy > 0);
  CHECK(shared.counts()[0] == bus.counts()[0]);
  CHECK(shared.busy_time(kStart + kSecond) == bus.busy_time(kStart + kSecond));
}

TEST_CASE("an end in the past takes effect at once, and a later one none", "[events]") {
  SharedTriggers shared(config());
  shared.begin(kStart, {});
  shared.end(kStart + 20 * kMillisecond);
  shared.end(kStart + 3 * kMillisecond);
  shared.end(kStart + 10 * kMillisecond);
  advance(shared, kStart + 15 * kMillisecond);
  CHECK(shared.over());
  CHECK(shared.trigger(shared.accepted() - 1).time < 3 * kMillisecond);
}

TEST_CASE("workers with different times take the same triggers", "[events]") {
  SharedTriggers shared(config());
  shared.begin(kStart, {});
  constexpr Time kEnd = 200 * kMillisecond;
  shared.end(kStart + kEnd);
  std::array<std::vector<detector::Trigger>, 2> taken;
  std::array<std::atomic<Time>, 2> times{kStart, kStart};
  const auto work = [&](std::uint32_t w) {
    std::uint64_t next = 0;
    for (Time now = kStart + w * 500; !shared.over() || next < shared.accepted(); now += 10 * kMicrosecond) {
      times[w] = now;
      // If the other thread gets no CPU, wait for it. Otherwise, triggers that it has not taken would be
      // dropped, and if it has reported its board busy, no further trigger would be accepted.
      while (now - kMillisecond > times[1 - w]) std::this_thread::yield();
      advance(shared, now);
      // Report short busy times of the boards. Reports of several workers do not arrive in order of time.
      if (now / kMicrosecond % 1000 < 20) shared.report(w, now / kMicrosecond % 20 < 10, now);
      for (; next < shared.accepted(); ++next) taken[w].push_back(shared.trigger(next));
    }
    times[w] = kNever;
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  CHECK(taken[0] == taken[1]);
  CHECK(taken[0].size() == shared.accepted());
  CHECK(shared.accepted() > 10'000);
  for (const auto& list : taken) {
    for (std::size_t i = 1; i < list.size(); ++i) REQUIRE(list[i].time > list[i - 1].time);
  }
  CHECK(shared.busy_time(kStart + kEnd) < kEnd);
}

TEST_CASE("a board that a late worker makes busy vetoes the next trigger", "[events]") {
  engine::TriggerBusConfig c;
  c.sources = {{.kind = detector::TriggerSourceConfig::Kind::kPeriodic, .rate_hz = 100'000}};
  c.boards = 1;
  SharedTriggers shared(c);
  shared.begin(kStart, {});
  const Time now = kStart + 10 * kMillisecond;  // a thousand candidates are due
  for (int i = 0; i < 5; ++i) shared.advance(now);
  CHECK(shared.accepted() == 5);
  shared.report(0, true, now);
  advance(shared, now);
  CHECK(shared.accepted() <= 6);
  CHECK(shared.counts()[0].busy > 990);
  shared.report(0, false, now);
  advance(shared, now + kMillisecond);
  CHECK(shared.accepted() > 100);
}
