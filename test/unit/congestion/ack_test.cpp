// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/ack.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::congestion;

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
