// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/swift.hpp"

#include "microseconds.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::congestion;
using softfeb::test::us;

namespace {

/// Returns an acknowledgement of one packet with an RTT of `rtt`, while `in_flight` packets are in flight.
Ack swift_ack(Time now, Time rtt, std::uint64_t in_flight = 100) {
  return {.sent_at = now - rtt, .bytes = 4108, .packets = 1, .acked = 1, .sent = in_flight};
}

}  // namespace

TEST_CASE("swift: initial state", "[congestion][swift]") {
  const Swift swift;
  CHECK(swift.ack_spacing() == 0);
  CHECK(swift.memory() <= 256);
  CHECK(swift.window() == 8 * 4108);
  CHECK_FALSE(swift.state(0).rtt.has_value());
  CHECK(swift.uses(kWindow));
  CHECK_FALSE(swift.uses(kOnCnp | kOnGranted | kOnPosted | kTimer | kPriority | kRank));
}

TEST_CASE("swift: without samples the window stays", "[congestion][swift]") {
  Swift swift;
  swift.start(0);
  for (Time now = 1; now < us(1000); now += us(1)) swift.ack({.bytes = 4108, .packets = 1}, now);
  swift.nak(Nak::kReceiverNotReady, us(1000));
  swift.cnp(us(1000));
  CHECK(swift.cwnd() == 8);
}

TEST_CASE("swift: the window rests at its bounds", "[congestion][swift]") {
  Swift swift;
  Time now = kSecond;
  const auto ack = [&](Time gap, Time rtt) {
    now += gap;
    swift.ack(swift_ack(now, rtt, 1'000'000), now);
  };
  for (int i = 0; i < 100; ++i) ack(us(900), us(800));
  CHECK(swift.cwnd() == 0.001);
  // The window is 5 bytes. One packet may always be in flight if the window is not 0. departure() spaces the
  // packets.
  CHECK(swift.window() == 5);
  CHECK(swift.pacing_delay() == Approx(800e9));
  for (int i = 0; i < 1'000'000; ++i) ack(us(1), us(5));
  CHECK(swift.cwnd() == 1000);
  CHECK(swift.pacing_delay() == 0);
}

TEST_CASE("swift: below one packet, departures follow the window at once", "[congestion][swift]") {
  Swift swift({.max_mdf = 0.9, .initial_cwnd = 0.5});
  swift.start(kSecond);
  // No packet has been sent yet, so the first one may leave immediately.
  CHECK(swift.departure(4108, kSecond) <= kSecond);
  swift.sent(4108, kSecond);
  CHECK(swift.departure(4108, kSecond) == kSecond + us(50));  // the gap is base_target / cwnd
  swift.nak(Nak::kSequence, kSecond + 1);
  CHECK(swift.departure(4108, kSecond + 1) == Approx(kSecond + us(500)).margin(1));
}

TEST_CASE("swift: one decrease per RTT", "[congestion][swift]") {
  Swift swift;
  swift.ack(swift_ack(kSecond, us(500)), kSecond);
  CHECK(swift.cwnd() == 4);
  swift.ack(swift_ack(kSecond + us(499), us(500)), kSecond + us(499));
  swift.nak(Nak::kSequence, kSecond + us(499));
  swift.nak(Nak::kTimeout, kSecond + us(499));
  CHECK(swift.cwnd() == 4);
  swift.nak(Nak::kSequence, kSecond + us(500));
  CHECK(swift.cwnd() == 2);
}

TEST_CASE("swift: the fifth timeout in a row resets the window", "[congestion][swift]") {
  Swift swift;
  Time now = kSecond;
  const auto timeouts = [&](int n) {
    for (; n != 0; --n) swift.nak(Nak::kTimeout, now);
  };
  timeouts(4);
  CHECK(swift.cwnd() == 4);  // simultaneous timeouts count only once
  swift.ack({.packets = 1}, now);
  timeouts(4);
  CHECK(swift.timeouts() == 4);
  CHECK(swift.cwnd() == 4);
  timeouts(1);
  CHECK(swift.cwnd() == 0.001);
}

TEST_CASE("swift: hops raise the target, remote delay is not the fabric's", "[congestion][swift]") {
  Swift swift({.fs_range = 0});
  Ack ack = swift_ack(kSecond, us(30));
  swift.ack(ack, kSecond);
  CHECK(swift.target_delay() == 26e6);
  CHECK(swift.cwnd() < 8);
  ack.hops = 6;
  swift.ack(ack, kSecond + us(1));
  CHECK(swift.state(0).target_delay == us(31));
  const double before = swift.cwnd();
  ack.hops = 0;
  ack.remote_delay = us(20);
  swift.ack(ack, kSecond + us(1));
  CHECK(swift.cwnd() > before);
}

TEST_CASE("swift: new parameters bound the window", "[congestion][swift]") {
  Swift swift;
  swift.set_parameters({.base_target = us(10), .max_cwnd = 2}, 0);
  CHECK(swift.cwnd() == 2);
  CHECK(swift.endpoint_cwnd() == 2);
  swift.set_parameters({.min_cwnd = 50, .endpoint_target = us(10)}, 0);
  CHECK(swift.cwnd() == 50);
}
