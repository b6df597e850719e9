// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/board_rates.hpp"

#include <array>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

TEST_CASE("Boards have fair shares from the first window on in which all do", "[switchtest]") {
  const std::vector<std::uint32_t> a{30, 20, 10, 11, 9, 10, 10, 10}, b{0, 5, 10, 9, 12, 9, 10, 10};
  const BoardSeries boards{a, b};
  CHECK(frames_in(boards, {1, 3}) == std::vector<double>{30, 15});
  CHECK(intervals_to_fair(boards, {0, 8}, 1, 10) == 2);
  CHECK(intervals_to_fair(boards, {3, 8}, 1, 10) == 0);
  CHECK(intervals_to_fair(boards, {4, 8}, 1, 10) == 1);
  CHECK(intervals_to_fair(boards, {0, 8}, 2, 10) == 2);
  CHECK(intervals_to_fair(boards, {0, 8}, 6, 10) == 2);
  CHECK_FALSE(intervals_to_fair(boards, {0, 2}, 1, 10));
  CHECK_FALSE(intervals_to_fair(boards, {2, 4}, 3, 10));
  CHECK_FALSE(intervals_to_fair(boards, {0, 8}, 1, 20));
}

TEST_CASE("Shares are even if all are near the mean", "[switchtest]") {
  CHECK(even(std::array{10.0, 10.9, 9.1}));
  CHECK_FALSE(even(std::array{10.0, 11.2, 8.8}));
  CHECK_FALSE(even(std::array{15.0, 15.0, 0.0}));
}

TEST_CASE("CNPs are found by kind and identification", "[switchtest]") {
  const std::array sent{Cnp{0, 0, 10'000}, Cnp{1, 0, 11'000}, Cnp{0, 1, 20'000}, Cnp{0, 2, 30'000},
                        Cnp{0, 3, 90'000}};
  const std::array received{Cnp{0, 0, 12'000}, Cnp{1, 0, 14'000}, Cnp{0, 2, 31'000},
                            Cnp{0, 3, 91'000}, Cnp{0, 7, 92'000}, Cnp{0, 0, 93'000}};
  const CnpFate fate = match_cnps(sent, received, 50'000);
  CHECK(fate.sent == 4);
  CHECK(fate.lost == 1);
  CHECK(fate.unsolicited == 2);
  CHECK(fate.delays_ns == std::vector<double>{2, 3, 1});
  // A CNP that arrives before it was sent does not match.
  const CnpFate early = match_cnps(std::array{Cnp{0, 0, 10'000}}, std::array{Cnp{0, 0, 9'000}}, 50'000);
  CHECK(early.lost == 1);
  CHECK(early.unsolicited == 1);
}

TEST_CASE("A board slows down at the first longer gap", "[switchtest]") {
  const std::array<Time, 8> departures{0, 10, 20, 31, 41, 51, 70, 100};
  CHECK(slows_down(departures, 25) == 51);
  CHECK(slows_down(departures, 60) == 70);  // the gap grows from 19 to 30
  CHECK_FALSE(slows_down(departures, 90));
  CHECK_FALSE(slows_down(std::array<Time, 4>{0, 10, 20, 30}, 15));
}
