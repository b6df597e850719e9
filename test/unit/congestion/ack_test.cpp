// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/ack.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::congestion;

TEST_CASE("differences of INT counters survive a wrap", "[congestion]") {
  constexpr unsigned kBits = IntRecord::kTimeBits;
  const std::uint64_t range = std::uint64_t{1} << kBits;
  for (const std::uint64_t from : {std::uint64_t{0}, range - 1, range / 2, range + 5}) {
    CHECK(wrapped_difference(from, from, kBits) == 0);
    CHECK(wrapped_difference(from + 7, from, kBits) == 7);
    CHECK(wrapped_difference((from + 7) % range, from % range, kBits) == 7);
    CHECK(wrapped_difference(from % range, (from + 7) % range, kBits) == -7);
    CHECK(wrapped_difference(from + range / 2 - 1, from, kBits) == static_cast<std::int64_t>(range / 2) - 1);
    CHECK(wrapped_difference(from + range / 2, from, kBits) == -static_cast<std::int64_t>(range / 2));
  }
}

TEST_CASE("an RTT sample is at least 1 ps", "[congestion]") {
  const Ack ack{.sent_at = 1000};
  CHECK(ack.rtt(4000) == 3000);
  CHECK(ack.rtt(4000, 500) == 2500);
  CHECK(ack.rtt(1000) == 1);
  CHECK(ack.rtt(4000, 5000) == 1);
}

TEST_CASE("packets in flight include those just acknowledged", "[congestion]") {
  CHECK(Ack{.packets = 3, .acked = 10, .sent = 17}.in_flight_before() == 10);
}
