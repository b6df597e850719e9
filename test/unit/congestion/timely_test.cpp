// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/timely.hpp"

#include "microseconds.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::congestion;
using softfeb::test::us;

namespace {

/// Passes RTT samples to `timely`, one every 26 µs.
class TimelySamples {
 public:
  explicit TimelySamples(Timely& timely) : timely_(timely) { timely.start(now_); }
  void rtt(Time rtt, int times = 1) {
    for (; times != 0; --times) {
      now_ += us(26);
      timely_.ack({.sent_at = now_ - rtt, .bytes = 16'432, .packets = 4}, now_);
    }
  }
  Time now() const { return now_; }

 private:
  Timely& timely_;
  Time now_ = kSecond;
};

}  // namespace

TEST_CASE("timely: the defaults of the papers", "[congestion][timely]") {
  const Timely timely;
  CHECK(timely.ack_spacing() == 16'384);
  CHECK(timely.rate() == 1.25e9);
  CHECK(timely.memory() <= 256);
  CHECK(timely.uses(kOnAck));
  CHECK(timely.uses(kOnNak));
  CHECK_FALSE(timely.uses(kOnCnp | kOnGranted | kOnPosted | kTimer | kWindow | kPriority | kRank));
}

TEST_CASE("timely: without samples the rate stays, and no RTT is shown", "[congestion][timely]") {
  Timely timely({.initial_rate = 500'000'000});
  timely.start(0);
  for (Time now = 1; now < kSecond; now += kMillisecond) timely.ack({.bytes = 4108, .packets = 1}, now);
  timely.nak(Nak::kSequence, kSecond);
  timely.nak(Nak::kReceiverNotReady, kSecond);
  timely.cnp(kSecond);
  CHECK(timely.rate() == 5e8);
  CHECK_FALSE(timely.state(kSecond).rtt.has_value());
  CHECK_FALSE(timely.state(kSecond).window.has_value());
}

TEST_CASE("timely: the rate rests at its bounds", "[congestion][timely]") {
  for (const TimelyVariant variant : {TimelyVariant::kTimely, TimelyVariant::kPatched}) {
    Timely timely({.variant = variant});
    TimelySamples samples(timely);
    samples.rtt(us(5000), 100);
    CHECK(timely.rate() == 1.25e6);
    CHECK(timely.state(samples.now()).rtt == us(5000));
    samples.rtt(us(10), 2000);
    CHECK(timely.rate() == 1.25e9);
  }
}

TEST_CASE("timely: one cut takes at most half of the rate", "[congestion][timely]") {
  Timely timely({.beta = 1});
  TimelySamples samples(timely);
  samples.rtt(kSecond);
  CHECK(timely.rate() == 6.25e8);
}

TEST_CASE("timely: hyperactive increase after five falling RTTs", "[congestion][timely]") {
  Timely timely({.initial_rate = 100'000'000});
  TimelySamples samples(timely);
  for (Time rtt = 200; rtt > 195; --rtt) samples.rtt(us(rtt));
  CHECK(timely.falling() == 4);
  CHECK(timely.rate() == 1e8 + 5 * 1.25e6);
  samples.rtt(us(195));
  CHECK(timely.rate() == 1e8 + 10 * 1.25e6);
}

TEST_CASE("timely: a timeout halves the rate and forgets the RTT", "[congestion][timely]") {
  Timely timely;
  TimelySamples samples(timely);
  samples.rtt(us(60), 2);
  timely.nak(Nak::kTimeout, samples.now());
  CHECK(timely.rate() == 6.25e8);
  // if TIMELY compared this RTT with the RTT before the timeout, the gradient would be steep
  samples.rtt(us(400));
  CHECK(timely.gradient() == 0);
  for (int i = 0; i < 100; ++i) timely.nak(Nak::kTimeout, samples.now());
  CHECK(timely.rate() == 1.25e6);
}

TEST_CASE("timely: packets leave at the rate, and follow its changes", "[congestion][timely]") {
  Timely timely({.line_rate = 1'000'000'000, .initial_rate = 1'000'000'000});
  timely.start(us(1));
  CHECK(timely.departure(1000, us(1)) == us(1));
  CHECK(timely.sent_then_departure(1000, 1000, us(1)) == us(2));
  timely.nak(Nak::kTimeout, us(1));
  CHECK(timely.departure(1000, us(1)) == us(3));
}

TEST_CASE("timely: new parameters bound the rate", "[congestion][timely]") {
  Timely timely;
  timely.set_parameters({.line_rate = 1'000'000}, 0);
  CHECK(timely.rate() == 1e6);
  CHECK(timely.parameters() == TimelyParameters{.line_rate = 1'000'000});
}
