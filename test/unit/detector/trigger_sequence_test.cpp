// SPDX-License-Identifier: BSD-3-Clause
#include "detector/trigger_sequence.hpp"

#include "detector/exponential_gap.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::detector;

namespace {

using Kind = TriggerSourceConfig::Kind;

TriggerSourceConfig listed(std::vector<Time> times) {
  return {.kind = Kind::kList, .type = EventType::kDaq, .times = std::move(times)};
}

std::vector<Time> times_before(TriggerSequence& sequence, Time end) {
  std::vector<Time> out;
  while (const auto t = sequence.accept_before(end)) out.push_back(t->time);
  return out;
}

}  // namespace

TEST_CASE("the integer logarithm is exact to its last bits", "[detector][trigger]") {
  CHECK(minus_log2(1) == std::uint64_t{64} << 32);
  CHECK(minus_log2(std::uint64_t{1} << 63) == std::uint64_t{1} << 32);
  CHECK(minus_log2(UINT64_MAX) == 1);
  CHECK(minus_ln(0) == minus_ln(1));
  Rng rng(3);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t bits = rng.next() >> rng.below(64);
    if (bits == 0) continue;
    const double exact = -std::log(std::ldexp(static_cast<double>(bits), -64)) * 0x1p32;
    CHECK(std::abs(static_cast<double>(minus_ln(bits)) - exact) < 16);
  }
}

TEST_CASE("a gap is at least a picosecond and has the given mean", "[detector][trigger]") {
  CHECK(exponential_gap(UINT64_MAX, 1'000) == 1);
  CHECK(exponential_gap(5, 0) == 1);
  Rng rng(1);
  double sum = 0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) sum += static_cast<double>(exponential_gap(rng.next(), kMicrosecond));
  CHECK(sum / kDraws == Approx(1e6).epsilon(0.015));
}

TEST_CASE("a source without a rate is refused", "[detector][trigger]") {
  CHECK_THROWS_AS(TriggerSource({.rate_hz = 0}), std::invalid_argument);
  CHECK_THROWS_AS(TriggerSource({.pile_up_parts = (std::uint64_t{1} << 32) + 1}), std::invalid_argument);
}

TEST_CASE("sources end and times do not wrap", "[detector][trigger]") {
  TriggerSequence none({}, 0);
  CHECK(none.next() == kNever);
  CHECK_FALSE(none.accept_before(kNever));
  TriggerSequence empty({listed({})}, 0);
  CHECK(empty.next() == kNever);
  TriggerSequence late({{.kind = Kind::kPeriodic, .rate_hz = 1, .phase = kNever - 5}}, 0);
  CHECK(times_before(late, kNever) == std::vector<Time>{kNever - 5});
  CHECK(late.next() == kNever);
}

TEST_CASE("a vetoed trigger does not extend the dead time", "[detector][trigger]") {
  TriggerSequence sequence({listed({0, 5, 9, 10, 19, 20})}, 10);
  CHECK(times_before(sequence, kNever) == std::vector<Time>{0, 10, 20});
  CHECK(sequence.counts()[0] == TriggerCounts{6, 3, 3, 0});
}

TEST_CASE("busy begins when the veto arrives and ends at once", "[detector][trigger]") {
  TriggerSequence sequence({listed({100, 109, 110, 149, 150})}, 0);
  sequence.set_busy(110);  // the veto takes effect at 110
  sequence.set_busy(105);  // another board becomes busy, which does not move the veto to an earlier time
  CHECK(times_before(sequence, 150) == std::vector<Time>{100, 109});
  sequence.set_idle(150);
  CHECK(times_before(sequence, kNever) == std::vector<Time>{150});
  CHECK(sequence.counts()[0] == TriggerCounts{5, 3, 0, 2});
}

TEST_CASE("a busy state shorter than the veto's delay vetoes nothing", "[detector][trigger]") {
  TriggerSequence sequence({listed({100, 110, 120})}, 0);
  sequence.set_busy(110);
  CHECK(times_before(sequence, 105) == std::vector<Time>{100});
  sequence.set_idle(105);
  CHECK(times_before(sequence, kNever) == std::vector<Time>{110, 120});
  sequence.set_idle(130);  // already idle
  CHECK(sequence.counts()[0].busy == 0);
}

TEST_CASE("a random source keeps 1/(1 + rate · dead time) of its triggers", "[detector][trigger]") {
  constexpr std::uint64_t kRate = 100'000;
  constexpr Time kDeadTime = 7 * kMicrosecond;
  TriggerSequence sequence({{.rate_hz = kRate, .seed = 11}}, kDeadTime);
  const auto accepted = static_cast<double>(times_before(sequence, kSecond).size());
  const auto candidates = static_cast<double>(sequence.counts()[0].candidates);
  CHECK(candidates == Approx(kRate).margin(3 * std::sqrt(kRate)));
  // The margin is three standard deviations of the count of a counter with non-paralyzable dead time.
  const double live = 1 / (1 + to_seconds(kDeadTime) * kRate);
  CHECK(accepted == Approx(kRate * live).margin(3 * std::sqrt(kRate * live) * live));
}

TEST_CASE("companions follow within the window", "[detector][trigger]") {
  constexpr Time kWindow = 20 * kMicrosecond;
  const TriggerSourceConfig alone{.rate_hz = 1000, .seed = 5};
  TriggerSourceConfig with = alone;
  with.pile_up_parts = std::uint64_t{1} << 32;
  with.pile_up_window = kWindow;
  TriggerSequence sequence({with}, 0);
  const auto times = times_before(sequence, kSecond / 10);
  REQUIRE(times.size() > 100);
  std::size_t close = 0;
  for (std::size_t i = 1; i < times.size(); ++i) close += times[i] - times[i - 1] <= kWindow ? 1 : 0;
  CHECK(close >= times.size() / 2 - 1);
}
