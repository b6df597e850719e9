// SPDX-License-Identifier: BSD-3-Clause
// Checks that algorithms return sensible numbers after any sequence of events and at the limits of their
// parameters.
#include "congestion/hpcc.hpp"
#include "congestion/swift.hpp"
#include "congestion/timely.hpp"

#include <array>
#include <cmath>
#include <random>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::congestion;

namespace {

/// Generates random numbers, from very small to very large ones.
class ExtremeNumbers {
 public:
  explicit ExtremeNumbers(unsigned seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  std::uint64_t number(unsigned bits) {
    const auto shift = static_cast<unsigned>(below(bits + 1));
    return shift == 0 ? 0 : random_() >> (64 - shift);
  }

 private:
  std::mt19937_64 random_;
};

void check_answers(CongestionControl& control, Time now, double most_rate) {
  const CongestionState state = control.state(now);
  REQUIRE(static_cast<double>(state.rate) <= most_rate * (1 + 1e-9) + 1);
  REQUIRE(control.window() >= 1);
  if (state.window) REQUIRE(std::isfinite(*state.window));
  if (state.window) REQUIRE(*state.window > 0);
  if (state.utilization) REQUIRE(std::isfinite(*state.utilization));
  REQUIRE(control.departure(4108, now) < kNever);
}

Ack extreme_ack(ExtremeNumbers& random, std::array<IntRecord, 6>& records, Time now) {
  Ack ack{.packets = static_cast<std::uint32_t>(random.number(32)),
          .acked = random.number(40),
          .sent = random.number(40),
          .remote_delay = random.number(50),
          .path = static_cast<std::uint16_t>(random.below(2))};
  if (random.below(4) != 0) ack.sent_at = now - random.number(62);
  if (random.below(2) != 0) ack.hops = static_cast<std::uint8_t>(random.number(8));
  for (IntRecord& r : records) {
    if (random.below(8) == 0) r.rate_code = IntRecord::kUnknownRate;
    r.time = (r.time + static_cast<std::uint32_t>(random.number(24))) % (1U << IntRecord::kTimeBits);
    r.tx = (r.tx + static_cast<std::uint32_t>(random.number(20))) % (1U << IntRecord::kTxBits);
    r.queue = static_cast<std::uint16_t>(random.number(16));
  }
  if (records[0].rate() == 0) records.fill({.rate_code = static_cast<std::uint8_t>(random.below(16))});
  ack.records = std::span(records).first(random.below(2) != 0 ? 3 : random.below(7));
  return ack;
}

void hammer(CongestionControl& control, double most_rate) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    ExtremeNumbers random(seed);
    std::array<IntRecord, 6> records;
    records.fill({.rate_code = 3});
    Time now = kSecond * (1 + seed * 1000);
    control.start(now);
    for (int i = 0; i < 2000; ++i) {
      now += random.number(36);
      switch (random.below(6)) {
        case 0:
          control.sent(4108, now);
          break;
        case 1:
          control.nak(static_cast<Nak>(random.below(3)), now);
          break;
        case 2:
          control.cnp(now);
          break;
        default:
          control.ack(extreme_ack(random, records, now), now);
      }
      check_answers(control, now, most_rate);
    }
  }
}

}  // namespace

TEST_CASE("timely: any events, extreme parameters", "[congestion][timely]") {
  for (const TimelyVariant variant : {TimelyVariant::kTimely, TimelyVariant::kPatched}) {
    const TimelyParameters usual{.variant = variant};
    TimelyParameters tight = usual, loose = usual;
    tight.min_rate = tight.line_rate = 1;
    tight.alpha = tight.beta = tight.beta_patched = tight.timeout_factor = 1;
    tight.max_decrease = 0;
    tight.min_rtt = tight.rtt_ref = tight.t_low = tight.t_high = 1;
    loose.line_rate = loose.delta = loose.initial_rate = std::uint64_t{1} << 40;
    loose.min_rate = 1;
    loose.alpha = loose.beta = loose.max_decrease = loose.timeout_factor = 0;
    loose.hai_events = loose.hai_factor = UINT32_MAX;
    loose.rtt_offset = loose.update_interval = kSecond;
    for (const TimelyParameters& p : {usual, tight, loose}) {
      Timely timely(p);
      hammer(timely, static_cast<double>(p.line_rate));
      CHECK(timely.rate() >= static_cast<double>(p.min_rate));
    }
  }
}

TEST_CASE("swift: any events, extreme parameters", "[congestion][swift]") {
  const SwiftParameters usual{.endpoint_target = kMicrosecond, .endpoint_gain = 0.25};
  SwiftParameters tight = usual, loose = usual;
  tight.packet = 1;
  tight.base_target = tight.hop_delay = tight.fs_range = 0;
  tight.min_cwnd = tight.max_cwnd = 1e-6;
  tight.retx_reset_threshold = 0;
  loose.base_target = kSecond;
  loose.fs_min_cwnd = 1e-9;
  loose.fs_max_cwnd = loose.max_cwnd = 1e9;
  loose.ai = 1e6;
  loose.beta = loose.max_mdf = 1;
  loose.min_cwnd = 1e-9;
  loose.limited_factor = 0;
  for (const SwiftParameters& p : {usual, tight, loose}) {
    Swift swift(p);
    hammer(swift, 1e18);
    CHECK(swift.cwnd() >= p.min_cwnd);
    CHECK(swift.cwnd() <= p.max_cwnd);
  }
}

TEST_CASE("hpcc: any events, extreme parameters", "[congestion][hpcc]") {
  const HpccParameters usual;
  HpccParameters tight = usual, loose = usual;
  tight.line_rate = tight.min_rate = 1;
  tight.base_rtt = 1;
  tight.max_stage = 0;
  tight.w_ai = 0;
  tight.initial_u = 0;
  loose.line_rate = std::uint64_t{1} << 40;
  loose.min_rate = 1;
  loose.base_rtt = kSecond;
  loose.eta = 1e-6;
  loose.w_ai = 1e12;
  loose.max_stage = UINT32_MAX;
  loose.stale_after = kSecond;
  for (const HpccParameters& p : {usual, tight, loose}) {
    Hpcc hpcc(p);
    hammer(hpcc, static_cast<double>(p.line_rate));
    CHECK(hpcc.rate() >= static_cast<double>(p.min_rate) * (1 - 1e-9));
  }
}
