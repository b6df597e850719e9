// SPDX-License-Identifier: BSD-3-Clause
#include "requester_fixture.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::roce;
using namespace softfeb::test;

namespace {

using Psns = std::vector<Psn>;
using Results = std::vector<IdStatus>;

RequesterConfig timer_config(TimingProfile profile) {
  RequesterConfig c;
  c.pmtu = 256;
  c.timeout = 4;
  c.timing = profile;
  return c;
}

constexpr Time kStandardPeriod = 16 * 4096 * kNanosecond;

}  // namespace

TEST_CASE("requester: periods of the timeout codes", "[requester]") {
  for (const auto profile : {TimingProfile::kStandard, TimingProfile::kFirmware}) {
    CHECK(ack_timeout(profile, 0) == kNever);
  }
  CHECK(ack_timeout(TimingProfile::kStandard, 1) == 8192 * kNanosecond);
  CHECK(ack_timeout(TimingProfile::kStandard, 31) == (Time{4096} << 31) * kNanosecond);
  // These are the clocks between two retransmissions in the wire vectors timeout_code1, timeout_code2 and
  // timeout_code4.
  CHECK(ack_timeout(TimingProfile::kFirmware, 1) == 1378 * kFirmwareClock);
  CHECK(ack_timeout(TimingProfile::kFirmware, 2) == 2743 * kFirmwareClock);
  CHECK(ack_timeout(TimingProfile::kFirmware, 4) == 10935 * kFirmwareClock);
}

TEST_CASE("requester: the standard timer starts with an AckReq packet, and progress restarts it",
          "[requester]") {
  RequesterFixture f(timer_config(TimingProfile::kStandard));
  f.post(1, 600);
  f.q.next(f.now);
  f.q.next(f.now);
  CHECK(f.q.deadline() == kNever);
  f.now += 1000;
  f.q.next(f.now);
  const Time started = f.now;
  CHECK(f.q.deadline() == started + kStandardPeriod);
  f.post(2, 10);
  f.now += 1000;
  f.drain();
  CHECK(f.q.deadline() == started + kStandardPeriod);
  f.now += 1000;
  f.ack(9);  // the PSN was not sent yet, so the timer is not restarted
  CHECK(f.q.deadline() == started + kStandardPeriod);
  f.ack(2);
  CHECK(f.q.deadline() == f.now + kStandardPeriod);
  f.ack(3);
  CHECK(f.q.deadline() == kNever);
}

TEST_CASE("requester: after going back the standard timer waits for an AckReq packet", "[requester]") {
  RequesterFixture f(timer_config(TimingProfile::kStandard));
  f.post(1, 256 * 4);
  f.drain();
  f.sequence_nak(0);
  CHECK(f.q.deadline() == kNever);
  f.q.next(f.now);
  f.ack(0);
  CHECK(f.q.deadline() == kNever);
  f.drain();
  CHECK(f.q.deadline() == f.now + kStandardPeriod);
}

TEST_CASE("requester: the firmware's timer runs from the first packet and any response restarts it",
          "[requester]") {
  RequesterFixture f(timer_config(TimingProfile::kFirmware));
  const Time period = ack_timeout(TimingProfile::kFirmware, 4);
  f.post(1, 600, false);
  f.q.next(f.now);
  CHECK(f.q.deadline() == f.now + period);
  f.drain();
  f.now += 1000;
  f.ack(9);
  CHECK(f.q.deadline() == f.now + period);
  f.respond(0x40, 0);  // a reserved syndrome does not restart the timer
  f.now += 1000;
  CHECK(f.q.deadline() == f.now - 1000 + period);
  f.expire();
  CHECK(f.q.deadline() == f.now + period);  // the retry restarts the timer before a packet has left
  f.drain();
  f.ack(2);
  CHECK(f.q.deadline() == kNever);
}

TEST_CASE("requester: a timeout resends what is not acknowledged", "[requester]") {
  RequesterFixture f(timer_config(TimingProfile::kStandard));
  f.post(1, 10);
  f.post(2, 256 * 4);
  f.drain();
  f.ack(2);  // acknowledges request 1 and two packets of request 2
  f.completions();
  f.expire();
  CHECK(f.q.deadline() == kNever);
  CHECK(f.drain_psns() == Psns{3, 4});
  CHECK(f.q.deadline() == f.now + kStandardPeriod);
  CHECK(f.q.counters().timeouts == 1);
}

TEST_CASE("requester: the firmware's timeout resends the whole oldest request", "[requester]") {
  RequesterFixture f(timer_config(TimingProfile::kFirmware));
  f.post(1, 10);
  f.post(2, 256 * 4);
  f.drain();
  f.ack(2);
  f.expire();
  CHECK(f.drain_psns() == Psns{1, 2, 3, 4});
  f.expire();
  CHECK(f.q.next(f.now).psn == 1);
  f.ack(4);
  CHECK(f.q.idle());
  CHECK_FALSE(f.q.ready(f.now));
}

TEST_CASE("requester: timeouts run out", "[requester]") {
  RequesterConfig c = timer_config(GENERATE(TimingProfile::kStandard, TimingProfile::kFirmware));
  c.retry_count = 3;
  RequesterFixture f(c);
  f.post(1, 10);
  f.post(2, 10, false);
  f.drain();
  for (int i = 0; i < 3; ++i) {
    f.expire();
    CHECK(f.drain_psns() == Psns{0, 1});
  }
  f.expire();
  CHECK(id_status(f.completions()) == Results{{1, WcStatus::kTimeoutsExceeded}, {2, WcStatus::kFlushed}});
  CHECK(f.q.counters().timeouts == 4);
  CHECK(f.q.deadline() == kNever);
}

TEST_CASE("requester: timeout code 0 never expires", "[requester]") {
  RequesterConfig c = timer_config(GENERATE(TimingProfile::kStandard, TimingProfile::kFirmware));
  c.timeout = 0;
  RequesterFixture f(c);
  f.post(1, 10);
  f.drain();
  CHECK(f.q.deadline() == kNever);
}

TEST_CASE("requester: no timer runs during an RNR wait", "[requester]") {
  RequesterConfig c = timer_config(GENERATE(TimingProfile::kStandard, TimingProfile::kFirmware));
  RequesterFixture f(c);
  f.post(1, 10);
  f.drain();
  f.rnr(20, 0);
  f.expire();
  CHECK(f.q.counters().timeouts == 0);
  CHECK(f.drain_psns() == Psns{0});
  CHECK(f.q.deadline() == f.now + ack_timeout(c.timing, 4));
}
