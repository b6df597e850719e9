// SPDX-License-Identifier: BSD-3-Clause
#include "lab/sawtooth.hpp"

#include "dcqcn/reaction_point.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::lab;
using engine::CongestionEvent;

namespace {

constexpr std::uint32_t kFrameBytes = 4124;

/// Peak, trough and mean of Rc, after many CNPs at equal intervals have produced a steady sawtooth.
struct Seen {
  double peak = 0, trough = 0, mean = 0;
};

Seen settle(const RateOrigin& o, Time period, unsigned periods) {
  RateReplay replay(o);
  for (unsigned i = 1; i <= periods; ++i) replay.add({i * period, 0, std::nullopt});
  constexpr unsigned kLast = 64;
  Seen s;
  replay.advance((periods - kLast) * period);
  const Uint128 before = replay.integral();
  for (unsigned i = periods - kLast; i < periods; ++i) {
    replay.advance(i * period);
    s.peak += static_cast<double>(replay.rc()) / kLast;
    std::uint64_t low = replay.rc();
    for (unsigned k = 1; k < 16; ++k) {
      replay.advance(i * period + k * period / 16);
      low = std::min(low, replay.rc());
    }
    s.trough += static_cast<double>(low) / kLast;
  }
  replay.advance(periods * period);
  s.mean = static_cast<double>(replay.integral() - before) / static_cast<double>(kLast * period);
  return s;
}

std::vector<RatePoint> triangle(unsigned teeth, Time period, double peak, double depth) {
  std::vector<RatePoint> out;
  for (unsigned i = 0; i < teeth * 20; ++i)
    out.push_back({i * period / 20, peak * (1 - depth + depth * (i % 20) / 19.0)});
  return out;
}

}  // namespace

TEST_CASE("teeth are found with their period and depth; small swings are part of them", "[sawtooth]") {
  const Sawtooth s = sawtooth_of(triangle(11, kMillisecond, 1e9, 0.3), 0.05);
  CHECK(s.teeth == 10);
  CHECK(s.period == kMillisecond);
  CHECK(s.depth == Approx(0.3));
  auto noisy = triangle(11, kMillisecond, 1e9, 0.3);
  for (std::size_t i = 0; i < noisy.size(); ++i) noisy[i].rate *= 1 + (i % 2 == 0 ? 0.005 : -0.005);
  CHECK(sawtooth_of(noisy, 0.05).teeth == 10);
  CHECK(sawtooth_of(triangle(11, kMillisecond, 1e9, 0.04), 0.05).teeth == 0);
  CHECK(sawtooth_of({}, 0.05).teeth == 0);
}

TEST_CASE("steady teeth: the formulas predict the reaction point", "[sawtooth]") {
  struct Case {
    Time period;
    std::uint32_t rate_inc_interval;
    std::uint8_t dec_gain;
    bool clamp;
    std::uint32_t rhai;
  };
  for (const Case& c : {Case{2 * kMillisecond, 20'000, 1, true, 12'000'000},
                        Case{2 * kMillisecond, 20'000, 2, true, 3'000'000},
                        Case{500 * kMicrosecond, 15'000, 1, true, 40'000'000},
                        Case{5 * kMillisecond, 234'375, 1, false, 12'000'000},
                        Case{3 * kMillisecond, 234'375, 1, false, 12'000'000}}) {
    RateOrigin o;
    o.parameters.rate_inc_interval = c.rate_inc_interval;
    o.parameters.dec_gain = c.dec_gain;
    o.parameters.clamp_tgt_rate = c.clamp;
    o.parameters.rhai = c.rhai;
    const Seen seen = settle(o, c.period, 6000);
    const SteadySawtooth p = predict_steady(o, c.period);
    INFO("period " << c.period / kMicrosecond << " us, alpha " << p.alpha << ", increases " << p.increases);
    CHECK(p.peak == Approx(seen.peak).epsilon(0.02));
    CHECK(p.trough == Approx(seen.trough).epsilon(0.02));
    CHECK(p.mean == Approx(seen.mean).epsilon(0.02));
    CHECK(p.depth == Approx(1 - seen.trough / seen.peak).epsilon(0.05));
  }
}

TEST_CASE("steady teeth: recovery takes a number of increases after the cut", "[sawtooth]") {
  RateOrigin o;
  const Time interval = (std::uint64_t{o.parameters.rate_inc_interval} + 3) * kFirmwareClock;
  const SteadySawtooth p = predict_steady(o, 100 * kMillisecond);  // Rc returns to line rate between two CNPs
  CHECK(p.peak == Approx(1.25e9));
  REQUIRE(p.recovery.has_value());
  // Each increase halves the difference, until depth / 2^n is at most 1 %.
  Time steps = 0;
  for (double missing = p.depth; missing > 0.01; missing /= 2) steps += interval;
  CHECK(*p.recovery == steps);
  o.parameters.rai = o.parameters.rhai = 0;
  o.parameters.clamp_tgt_rate = true;
  CHECK(predict_steady(o, kMillisecond).peak < 2e7);  // Rc stays near Rmin
}

TEST_CASE("the sent rate has the predicted teeth, or the difference is reported", "[sawtooth]") {
  RateOrigin o;
  o.parameters.rate_inc_interval = 20'000;
  o.parameters.clamp_tgt_rate = true;
  std::vector<CongestionEvent> events;
  for (unsigned i = 1; i <= 100; ++i) events.push_back({i * 2 * kMillisecond, 0, std::nullopt});
  std::vector<SentSample> samples;
  const auto sample = [&samples](const RateOrigin& origin, const std::vector<CongestionEvent>& all) {
    samples.clear();
    RateReplay replay(origin);
    std::size_t next = 0;
    for (Time t = 0; t <= 200 * kMillisecond; t += 100 * kMicrosecond) {
      for (; next < all.size() && all[next].at <= t; ++next) replay.add(all[next]);
      replay.advance(t);
      const auto bytes = static_cast<std::uint64_t>(replay.integral() / kSecond);
      samples.push_back(
          {t, bytes / kFrameBytes * kFrameBytes, static_cast<std::int64_t>(bytes % kFrameBytes), 0, true});
    }
  };
  sample(o, events);
  SawtoothStats f = compare_sawtooth(o, events, samples, kFrameBytes, 0.02);
  CHECK(f.sent.teeth > 90);
  REQUIRE(f.difference().has_value());
  CHECK(*f.difference() < 1e-4);
  CHECK(f.predicted.period == Approx(2 * kMillisecond).epsilon(0.01));
  // If the DecGain of the board differs from that of the prediction, the difference is large.
  RateOrigin other = o;
  other.parameters.dec_gain = 2;
  sample(other, events);
  CHECK(*compare_sawtooth(o, events, samples, kFrameBytes, 0.02).difference() > 0.1);
  CHECK_FALSE(compare_sawtooth(o, {}, samples, kFrameBytes, 0.02).difference().has_value());
}
