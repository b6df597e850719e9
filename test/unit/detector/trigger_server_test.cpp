// SPDX-License-Identifier: BSD-3-Clause
#include "detector/trigger_server.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::detector;

namespace {

TriggerServerConfig config() {
  TriggerServerConfig c;
  c.sources = {
      {.rate_hz = 20'000, .seed = 9},
      {.kind = TriggerSourceConfig::Kind::kPeriodic, .type = EventType::kFlatfield, .rate_hz = 1000}};
  c.dead_time = 7 * kMicrosecond;
  c.boards = 3;
  c.run = 5;
  c.origin = {2'000'000'000, 7};
  c.end = 200 * kMillisecond;
  return c;
}

/// Advances the server from `from` to `to` in uneven steps. Returns the messages that it sends.
std::vector<TriggerMessage> run(TriggerServer& server, Time from, Time to) {
  std::vector<TriggerMessage> all;
  for (Time now = from; now < to; now += 33 * kMicrosecond + now % 7919) {
    while (const auto message = server.next_message(now)) all.push_back(*message);
  }
  return all;
}

}  // namespace

TEST_CASE("messages carry the sequence that boards would compute", "[trigger]") {
  TriggerServer server(config());
  TriggerSequence sequence(config().sources, config().dead_time);
  for (const TriggerMessage& m : run(server, 0, kSecond)) {
    const auto expected = sequence.accept_before(200 * kMillisecond);
    REQUIRE(expected);
    CHECK(m == TriggerMessage{.type = expected->type,
                              .run = 5,
                              .time = time_after({2'000'000'000, 7}, expected->time),
                              .event = expected->event});
  }
  CHECK(server.over());
  CHECK(server.accepted() > 3000);
  CHECK_FALSE(sequence.accept_before(200 * kMillisecond));
  const TriggerMessage end = server.end_message(kSecond);
  CHECK(end.end_of_run);
  CHECK(end.event == server.accepted());
}

TEST_CASE("busy boards veto until they are idle or forgotten", "[trigger]") {
  TriggerServer server(config());
  run(server, 0, 10 * kMillisecond);
  const auto busy = [](std::uint16_t board, bool on) {
    return BusyMessage{.board = board, .busy = on, .run = 5};
  };
  server.receive(busy(1, true), 10 * kMillisecond);
  server.receive(busy(2, true), 11 * kMillisecond);
  CHECK(run(server, 10 * kMillisecond, 20 * kMillisecond).empty());
  server.receive(busy(1, false), 20 * kMillisecond);
  server.receive(busy(2, true), 20 * kMillisecond);
  CHECK(run(server, 20 * kMillisecond, 60 * kMillisecond).empty());
  SECTION("idle") {
    server.receive(busy(2, false), 60 * kMillisecond);
    CHECK(run(server, 60 * kMillisecond, 70 * kMillisecond).size() > 100);
    CHECK(server.busy_time(70 * kMillisecond) == 50 * kMillisecond);
    CHECK(server.forgotten() == 0);
  }
  SECTION("forgotten") {
    CHECK(server.next_event() <= 70 * kMillisecond);
    CHECK(run(server, 60 * kMillisecond, 80 * kMillisecond).size() > 100);
    CHECK(server.forgotten() == 1);
  }
  CHECK(server.counts()[0].busy > 100);
}

TEST_CASE("busy messages of other runs and boards have no effect", "[trigger]") {
  TriggerServer server(config());
  server.receive({.board = 3, .busy = true, .run = 5}, kMicrosecond);
  server.receive({.board = 0, .busy = true, .run = 6}, kMicrosecond);
  CHECK(server.rejected() == 2);
  CHECK_FALSE(run(server, kMicrosecond, 10 * kMillisecond).empty());
  server.end(10 * kMillisecond);
  CHECK(server.over());
  CHECK(server.next_event() == kNever);
}
