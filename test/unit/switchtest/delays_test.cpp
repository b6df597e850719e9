// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/delays.hpp"

#include <array>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

TEST_CASE("Equal delays have exact statistics", "[switchtest]") {
  latency::StageHistogram histogram;
  for (int i = 0; i < 10; ++i) histogram.add(7'710'400);
  const DelayStats stats = delay_stats(histogram, 0);
  for (std::size_t i = 0; i + 1 < stats.size(); ++i) {
    INFO(kDelayNames[i]);
    CHECK(stats[i].value == Approx(7710.4).margin(1e-9));
    CHECK(stats[i].low == stats[i].value);
    CHECK(stats[i].high == stats[i].value);
  }
  CHECK(stats.back().value == 0);
  CHECK(delay_stats({}, 0)[2].value == 0);
}

TEST_CASE("The interval of a percentile contains the exact value", "[switchtest]") {
  latency::StageHistogram histogram;
  for (Time i = 1; i <= 1000; ++i) histogram.add(i * kMicrosecond);
  const DelayStats stats = delay_stats(histogram, 5 * kMicrosecond);
  const std::array exact{1e3, 500.5e3, 500e3, 950e3, 990e3, 999e3, 1000e3, 5e3};
  for (std::size_t i = 0; i < exact.size(); ++i) {
    INFO(kDelayNames[i]);
    CHECK(stats[i].low <= exact[i]);
    CHECK(stats[i].high >= exact[i]);
    CHECK(stats[i].high - stats[i].low <= 0.032 * exact[i]);
  }
}

TEST_CASE("Several trials give a median and their spread", "[switchtest]") {
  std::array<DelayStats, 3> trials;
  trials[0].fill({10, 9, 11});
  trials[1].fill({30, 29, 31});
  trials[2].fill({20, 19, 21});
  const DelayStats all = combined(trials);
  CHECK(all[4].value == 20);
  CHECK(all[4].low == 9);
  CHECK(all[4].high == 31);
}

TEST_CASE("The number of serializations follows from the slope", "[switchtest]") {
  const std::array bytes{100.0, 1000.0, 4000.0};
  const auto fit = [&](double fixed, double ns_per_byte, std::uint64_t in, std::uint64_t out) {
    std::array<double, 3> delay{};
    for (std::size_t i = 0; i < delay.size(); ++i) delay[i] = fixed + bytes[i] * ns_per_byte;
    return fit_serialization(bytes, delay, in, out);
  };
  constexpr std::uint64_t kTen = 1'250'000'000, kTwentyFive = 3'125'000'000;
  const Serialization stored = fit(1000, 1.6, kTen, kTen);
  CHECK(stored.count.value == Approx(2));
  CHECK(stored.fixed.value == Approx(1000));
  CHECK(forwarding_of(stored) == std::string("store-and-forward"));
  for (const auto& [in, out] : {std::pair{kTen, kTwentyFive}, std::pair{kTwentyFive, kTen}}) {
    CHECK(fit(500, 0.8 + 0.32, in, out).count.value == Approx(2));
    CHECK(fit(500, 0.8, in, out).count.value == Approx(1));
    CHECK(forwarding_of(fit(500, 0.8, in, out)) == std::string("cut-through"));
  }
  // Two store-and-forward switches in a row serialize each frame three times.
  const Serialization two = fit(1500, 2.4, kTen, kTen);
  CHECK(two.count.value == Approx(3));
  CHECK(forwarding_of(two) == nullptr);
}

TEST_CASE("Noise widens the interval of the fit", "[switchtest]") {
  const std::array bytes{100.0, 1000.0, 2000.0, 4000.0};
  const std::array delay{1170.0, 2590.0, 4215.0, 7395.0};
  const Serialization fit = fit_serialization(bytes, delay, 1'250'000'000, 1'250'000'000);
  CHECK(fit.count.low < 2);
  CHECK(fit.count.high > 2);
  CHECK(fit.count.high - fit.count.low < 0.1);
  CHECK(fit.fixed.low < 1000);
  CHECK(fit.fixed.high > 1000);
}
