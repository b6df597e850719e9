// SPDX-License-Identifier: BSD-3-Clause
#include "engine/board_schedule.hpp"

#include "lone_board.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::engine;
using test::LoneBoard;

namespace {

void slowly(SendQpConfig& qp, std::uint32_t /*i*/) {
  qp.traffic.rate_kind = RateKind::kPackets;
  qp.traffic.rate = 1'000'000;
}

std::size_t sent(LoneBoard& b, Time end) {
  std::size_t n = 0;
  b.run_until(end, [&n](const test::Departure&) { ++n; });
  return n;
}

}  // namespace

TEST_CASE("each board generates traffic from its start to its stop", "[schedule]") {
  LoneBoard a(1, slowly), b(1, slowly), c(1, slowly);
  BoardSchedule schedule;
  schedule.add(a.board(), {200 * kMicrosecond, kNever});
  schedule.add(b.board(), {100 * kMicrosecond, 300 * kMicrosecond});
  schedule.add(c.board(), {});
  CHECK(schedule.next() == kNever);
  CHECK_FALSE(schedule.run(kSecond));
  schedule.begin(kMillisecond);
  const std::array<LoneBoard*, 3> boards{&a, &b, &c};
  std::array<std::size_t, 3> n{};
  while (schedule.next() != kNever) {
    const Time at = schedule.next();
    for (std::size_t i = 0; i < boards.size(); ++i) n[i] += sent(*boards[i], at - 1);
    CHECK(schedule.run(at));
  }
  for (std::size_t i = 0; i < boards.size(); ++i) n[i] += sent(*boards[i], 1500 * kMicrosecond);
  CHECK(b.board().finished());
  CHECK_FALSE(a.board().finished());
  CHECK(n[0] >= 300);
  CHECK(n[0] <= 302);
  CHECK(n[1] >= 200);
  CHECK(n[1] <= 203);
  CHECK(n[2] >= 500);
  CHECK(n[2] <= 502);
}

TEST_CASE("traffic cancelled before a board's start never begins; the board is finished", "[schedule]") {
  LoneBoard a(1, slowly);
  BoardSchedule schedule;
  schedule.add(a.board(), {kMillisecond, kNever});
  schedule.begin(0);
  CHECK_FALSE(schedule.run(kMillisecond - 1));
  CHECK_FALSE(a.board().finished());
  schedule.cancel();
  a.board().stop_traffic(kMillisecond - 1);
  CHECK(a.board().finished());
  CHECK_FALSE(schedule.run(kSecond));
  CHECK(sent(a, kSecond) == 0);
}
