// SPDX-License-Identifier: BSD-3-Clause
#include "lab/prediction.hpp"

#include "base/rng.hpp"
#include "dcqcn/firmware_dcqcn.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::lab;
using engine::CongestionEvent;

namespace {

constexpr std::uint32_t kPacket = 4124;

RateOrigin origin() {
  RateOrigin o;
  o.parameters.rate_inc_interval = 3000;
  return o;
}

dcqcn::FirmwareSettings profile(const dcqcn::FirmwareParameters& p) {
  dcqcn::FirmwareSettings f;
  f.parameters = p;
  return f;
}

/// Returns random CNPs and parameter changes. Several of them can fall into one clock period.
std::vector<CongestionEvent> events(std::uint64_t seed, Time end) {
  Rng rng(seed);
  std::vector<CongestionEvent> out;
  dcqcn::FirmwareParameters p = origin().parameters;
  for (Time t = 1000; t < end;
       t += rng.chance(1ULL << 30) ? rng.below(7000) : rng.below(100 * kMicrosecond)) {
    if (rng.below(20) == 0) {
      p.rai = static_cast<std::uint32_t>(rng.below(100'000'000));
      p.rate_inc_interval = static_cast<std::uint32_t>(rng.below(20'000));
      out.push_back({t, 0, profile(p)});
    } else {
      out.push_back({t, 0, std::nullopt});
    }
  }
  return out;
}

void apply(const CongestionEvent& e, dcqcn::FirmwareDcqcn& control) {
  if (e.profile) {
    control.set_parameters(std::get<dcqcn::FirmwareSettings>(*e.profile).parameters, e.at);
  } else {
    control.cnp(e.at);
  }
}

}  // namespace

TEST_CASE("the replay equals the congestion control, clock for clock", "[prediction]") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    constexpr Time kEnd = 3 * kMillisecond;
    const auto all = events(seed, kEnd);
    dcqcn::FirmwareDcqcn control(profile(origin().parameters));
    RateReplay replay(origin());
    Rng rng(seed + 100);
    std::size_t next = 0;
    for (Time t = 0; t < kEnd; t += rng.below(20'000)) {
      for (; next < all.size() && all[next].at <= t; ++next) {
        apply(all[next], control);
        replay.add(all[next]);
      }
      replay.advance(t);
      REQUIRE(replay.rc() == control.state(t).rate);
    }
    CHECK(next > 50);
  }
}

TEST_CASE("the integral equals the sum over the clocks, for any windows", "[prediction]") {
  constexpr Time kEnd = 30'000 * kFirmwareClock;
  const auto all = events(7, kEnd);
  // The reference: advance the reaction point by one edge at a time.
  dcqcn::ReactionPoint point(origin().parameters, origin().build);
  std::vector<Uint128> sums{0};  // integral up to each clock edge
  std::size_t next = 0;
  for (dcqcn::Edge n = 0; dcqcn::time_of(n) <= kEnd; ++n) {
    point.advance(n);
    const auto due = [&](const CongestionEvent& e) {
      return e.profile ? dcqcn::edge_until(e.at) <= n : dcqcn::edge_from(e.at) <= n;
    };
    for (; next < all.size() && due(all[next]); ++next) {
      if (all[next].profile) {
        point.set_parameters(std::get<dcqcn::FirmwareSettings>(*all[next].profile).parameters, n);
      } else {
        point.cnp(n);
      }
    }
    sums.push_back(sums.back() + Uint128{point.rc()} * kFirmwareClock);
  }
  Rng rng(3);
  std::vector<RateWindow> windows{{0, kEnd}};
  for (int i = 0; i < 100; ++i) {
    const Time from = rng.below(kEnd / kFirmwareClock - 200) * kFirmwareClock;
    windows.push_back({from, from + rng.below(150) * kFirmwareClock});
  }
  const auto bytes = integrate_rate(origin(), all, windows);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const Uint128 sum = sums[windows[i].to / kFirmwareClock] - sums[windows[i].from / kFirmwareClock];
    CHECK(bytes[i] == static_cast<std::uint64_t>(sum / kSecond));
  }
  // Windows need not begin and end at clock edges: here, Rc is 1.25 GB/s for 1 µs.
  const auto part = integrate_rate(RateOrigin{}, {}, std::vector<RateWindow>{{3'000, 1'003'000}, {5, 5}});
  CHECK(part == std::vector<std::uint64_t>{1250, 0});
}

TEST_CASE("windows count if only credit limited the sender, with the deviation", "[prediction]") {
  const RateOrigin o;  // 1.25 GB/s, which is 1.25 MB per millisecond
  std::vector<SentSample> s;
  for (std::uint64_t i = 0; i <= 10; ++i) s.push_back({i * kMillisecond, i * 1'250'000, 0, 0, true});
  RateTracking t = track_rate(o, {}, s, kMillisecond, kPacket);
  CHECK(t.windows == 10);
  CHECK(t.worst == 0);
  CHECK(t.largest_difference == 0);
  s[4].counted -= kPacket;  // one packet is within tolerance
  t = track_rate(o, {}, s, kMillisecond, kPacket);
  CHECK(t.worst == 0);
  CHECK(t.largest_difference == kPacket);
  s[4].counted -= 20'876;  // in total, 25,000 bytes fewer than at first
  t = track_rate(o, {}, s, kMillisecond, kPacket);
  CHECK(t.worst == Approx(0.02));
  CHECK(t.worst_at == 3 * kMillisecond);
  s[4].credit = 25'000;  // the QP could have sent these bytes but did not
  t = track_rate(o, {}, s, kMillisecond, kPacket);
  CHECK(t.windows == 8);
  CHECK(t.skipped == 2);
  CHECK(t.worst == 0);
  s[8].spilled = s[9].spilled = s[10].spilled = 5;  // between samples 7 and 8, a full bucket lost credit
  s[0].sending = false;
  t = track_rate(o, {}, s, kMillisecond, kPacket);
  CHECK(t.windows == 6);
  t = track_rate(o, {}, s, 5 * kMillisecond, kPacket);
  CHECK(t.windows == 0);
  CHECK(t.skipped == 2);
}
