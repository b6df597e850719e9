// SPDX-License-Identifier: BSD-3-Clause
#include "dispatcher_client.hpp"

#include "board_fake.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::febctl;
using namespace softfeb::test;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {

const auto kGoOn = [] { return false; };

}  // namespace

TEST_CASE("a burst starts with an edge, and ends with its completions") {
  BoardFake board(catalogue());
  DispatcherClient dispatcher(board, catalogue());
  dispatcher.set_target(
      {.rkey = 0x1234, .address = 0x7f0000000000, .lkey = 7, .sqpn = 0x128aeb, .slots = 16, .length = 4096});
  CHECK(board.words[0x80020f18] == 0);
  CHECK(board.words[0x80020f1c] == 0x7f00);
  CHECK(board.words[0x80020f10] == 0x128aeb);
  board.words[0x80030f00] = 0xfffff0;  // the counter wraps during the burst
  for (int i = 0; i < 2; ++i) {
    const Completions before = dispatcher.start(1000);
    const Burst burst = dispatcher.wait(1000, before, Clock::now(), 10s, kGoOn);
    CHECK(burst.complete());
    CHECK(burst.length == 4096);
    CHECK(burst.done.ok == 1000);
  }
  CHECK((board.words[0x80020f00] & 1) == 0);
}

TEST_CASE("a burst with failures, and one that does not end") {
  BoardFake board(catalogue());
  DispatcherClient dispatcher(board, catalogue());
  board.lost = 3;
  const Burst burst = dispatcher.wait(10, dispatcher.start(10), Clock::now(), 10s, kGoOn);
  CHECK_FALSE(burst.complete());
  CHECK(burst.done.ok == 7);
  CHECK(burst.done.failed == 3);
  const Burst none = dispatcher.wait(10, dispatcher.completions(), Clock::now(), 5ms, kGoOn);
  CHECK_FALSE(none.complete());
  CHECK(none.done.ok == 0);
  CHECK_FALSE(
      dispatcher.wait(10, dispatcher.completions(), Clock::now(), 1h, [] { return true; }).complete());
}
