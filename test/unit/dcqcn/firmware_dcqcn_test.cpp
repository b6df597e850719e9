// SPDX-License-Identifier: BSD-3-Clause
#include "dcqcn/firmware_dcqcn.hpp"

#include "base/rng.hpp"
#include "schedule.hpp"
#include "support/dcqcn_bucket_model.hpp"
#include "support/dcqcn_clock_model.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::dcqcn;
using softfeb::congestion::CongestionState;
using softfeb::congestion::Nak;
using namespace softfeb::test;

namespace {

bool same(const CongestionState& a, const CongestionState& b) {
  return a.rate == b.rate && a.target_rate == b.target_rate && a.alpha == b.alpha && a.stage == b.stage &&
         a.cnps == b.cnps && a.credit == b.credit;
}

}  // namespace

TEST_CASE("firmware: every departure matches the circuit, within the bucket's size", "[dcqcn]") {
  const auto seed = GENERATE(range(1, 61));
  Rng rng(static_cast<std::uint64_t>(seed) * 271);
  FirmwareSettings profile;
  profile.build = {.line_rate = 1'250'000'000};
  profile.parameters = DcqcnSchedule::legal(rng, profile.build.line_rate);
  if (rng.below(2) == 0) profile.bucket.size = 20'000;
  DcqcnSchedule schedule;
  const Edge end = 60'000;
  schedule.add_cnps(rng, end);
  FirmwareDcqcn lazy(profile);
  lazy.start(0);
  DcqcnClockModel reaction(profile.parameters, profile.build.line_rate);
  DcqcnBucketModel bucket(profile.build.line_rate, profile.bucket.size);
  INFO("seed " << seed);

  // The sender is greedy, but sometimes idle. In any interval, the credit used may exceed the credit refilled
  // by at most the bucket's size plus one frame.
  std::int64_t balance = 0, lowest = 0, widest = 0;
  std::uint32_t bytes = 4124;
  bool first = true;
  Edge idle_until = 0;
  std::uint64_t sent = 0;
  for (Edge n = 0; n < end; ++n) {
    const Time now = time_of(n);
    const bool cnp = schedule.cnps.contains(n);
    if (cnp) lazy.cnp(now);
    std::uint64_t charge = 0;
    if (n >= idle_until) {
      const bool may = first || bucket.may_admit(bytes);
      if ((lazy.departure(bytes, now) <= now) != may) {
        INFO("edge " << n << ", bytes " << bytes << ", departure " << lazy.departure(bytes, now));
        FAIL();
      }
      if (may) {
        lazy.sent(bytes, now);
        charge = first ? 0 : bytes;
        balance += std::int64_t{bytes} << 16;
        first = false;
        ++sent;
        bytes = static_cast<std::uint32_t>(12 + rng.below(4112));
        if (rng.below(30) == 0) idle_until = n + rng.below(9000);
      }
    }
    widest = std::max(widest, balance - lowest);
    balance -= static_cast<std::int64_t>((reaction.rc << 16) / 156'250'000);
    lowest = std::min(lowest, balance);
    reaction.clock(cnp, profile.parameters, false);
    bucket.clock(charge, reaction.rc);
  }
  CHECK(sent > 2);
  CHECK(widest <= (std::int64_t{profile.bucket.size} + 4124) << 16);
}

TEST_CASE("firmware: a distant departure is found in a few steps", "[dcqcn]") {
  // Rc starts at 1 MB/s and rises slowly, once every 103 clocks. It increases thousands of times while 1 MiB
  // of credit accumulates.
  FirmwareSettings profile;
  profile.parameters = {.dec_gain = 0,
                        .clamp_tgt_rate = true,
                        .rate_inc_interval = 100,
                        .rai = 1000,
                        .rhai = 1000,
                        .rmin = 1'000'000};
  profile.bucket.first_frame_free = false;
  FirmwareDcqcn cc(profile);
  cc.start(0);
  cc.sent(1 << 20, 0);  // overdraws the bucket
  for (int i = 0; i < 9; ++i) cc.cnp(time_of(10 + 650 * static_cast<Edge>(i)));
  Time now = time_of(10'000);
  int looks = 0;
  for (Time at = cc.departure(1 << 20, now); at > now && looks < 1'000'000; at = cc.departure(1 << 20, now)) {
    now = at;
    ++looks;
  }
  CHECK(looks > 10);
  CHECK(looks < 1'000'000);
  FirmwareDcqcn at_once = cc;
  at_once.advance(now);
  CHECK(at_once.bucket().credit_bytes() >= 1 << 20);
}

TEST_CASE("firmware: a CNP moves the predicted departure", "[dcqcn]") {
  FirmwareDcqcn cc({.bucket = {.size = 16'384, .first_frame_free = false}});
  cc.start(0);
  const Time before = cc.departure(16'000, 0);
  CHECK(before == time_of(2000));
  cc.cnp(time_of(100));
  // Rc is halved after edge 733, but the 736 refills at edges 0 to 735 still add 8 bytes each.
  const std::uint64_t q16 = (16'000ULL << 16) - (736ULL * 8 << 16);
  const Time after = cc.departure(16'000, time_of(100));
  CHECK(after == time_of(736 + (q16 + 0x40100 - 1) / 0x40100));
}

TEST_CASE("firmware: reading the state changes nothing", "[dcqcn]") {
  FirmwareDcqcn cc;
  cc.start(0);
  cc.cnp(6400 * 1000);
  const CongestionState later = cc.state(kSecond);
  CHECK(later.rate > 1'000'000'000);
  CHECK(cc.state(time_of(1632)).rate == 1'250'000'000);
  CHECK(cc.state(time_of(1633)).rate == 625'610'352);
  CHECK(cc.reaction_point().now() < 1004);
}

TEST_CASE("firmware: a CNP between two edges is sampled at the second", "[dcqcn]") {
  FirmwareDcqcn cc;
  cc.cnp(time_of(999) + 1);
  CHECK(cc.state(time_of(1633) - 1).rate == 1'250'000'000);
  CHECK(cc.state(time_of(1633)).rate == 625'610'352);
}

TEST_CASE("firmware: a CNP together with a NAK is one CNP", "[dcqcn]") {
  const auto run = [](int order) {
    FirmwareDcqcn cc;
    cc.start(0);
    const Time now = 77 * kMicrosecond;
    if (order == 1) cc.nak(Nak::kSequence, now);
    cc.cnp(now);
    if (order == 2) cc.nak(Nak::kSequence, now);
    return cc.state(now + 100 * kMicrosecond);
  };
  CHECK(same(run(1), run(0)));
  CHECK(same(run(2), run(0)));
  FirmwareDcqcn nak_alone;
  nak_alone.nak(Nak::kSequence, 5 * kMicrosecond);
  nak_alone.nak(Nak::kTimeout, 9 * kMicrosecond);
  CHECK(nak_alone.state(kMillisecond).rate == 1'250'000'000);
}
