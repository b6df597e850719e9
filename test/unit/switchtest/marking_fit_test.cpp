// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/marking_fit.hpp"

#include "base/rng.hpp"

#include <cmath>
#include <optional>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::switchtest;

namespace {

constexpr double kStep = 1022;

struct Marker {
  double kmin, kmax, pmax;
};

/// Draws the marks of `trains` trains with `length` frames each.
std::vector<DepthShare> marked_shares(const Marker& truth, unsigned trains, unsigned length,
                                      std::uint64_t seed) {
  Rng rng(Rng::mixed(seed, 77, 0));
  std::vector<DepthShare> out;
  for (unsigned i = 0; i < length; ++i) {
    DepthShare share{.depth = i * kStep, .frames = trains};
    double p = share.depth >= truth.kmax ? 1 : 0;
    if (share.depth > truth.kmin && p == 0)
      p = truth.pmax * (share.depth - truth.kmin) / (truth.kmax - truth.kmin);
    for (unsigned t = 0; t < trains; ++t)
      if (rng.chance(static_cast<std::uint64_t>(p * 0x1p32))) ++share.marked;
    out.push_back(share);
  }
  return out;
}

bool contains(const Interval& interval, double truth) {
  return interval.low <= truth && truth <= interval.high;
}

}  // namespace

TEST_CASE("The fit finds the marking curve", "[switchtest]") {
  const Marker truth =
      GENERATE(Marker{40'960, 163'840, 1}, Marker{102'400, 409'600, 0.1}, Marker{5'000, 60'000, 0.01},
               Marker{0, 80'000, 0.5}, Marker{70'000, 75'000, 0.8});
  const auto fit =
      fit_marking(marked_shares(truth, 800, static_cast<unsigned>(1.5 * truth.kmax / kStep) + 8, 3));
  REQUIRE(fit);
  CHECK(fit->ramp);
  CHECK(fit->reaches_kmax);
  CHECK(fit->kmax.value == Approx(truth.kmax).margin(kStep));
  CHECK(fit->kmin.value == Approx(truth.kmin).epsilon(0.03).margin(3'000));
  CHECK(fit->pmax.value == Approx(truth.pmax).epsilon(0.1));
  CHECK(contains(fit->kmax, truth.kmax));
  for (const Interval& i : {fit->kmin, fit->kmax, fit->pmax}) {
    CHECK(i.low <= i.value);
    CHECK(i.value <= i.high);
  }
}

TEST_CASE("Profile intervals of the marking curve cover the truth as often as they claim",
          "[switchtest][long]") {
  const Marker truth = GENERATE(Marker{40'960, 100'000, 1}, Marker{20'000, 90'000, 0.1});
  constexpr unsigned kDraws = 60;
  unsigned kmin = 0, kmax = 0, pmax = 0;
  for (std::uint64_t seed = 1; seed <= kDraws; ++seed) {
    const auto fit = fit_marking(marked_shares(truth, 50, 140, seed));
    REQUIRE(fit);
    kmin += contains(fit->kmin, truth.kmin) ? 1 : 0;
    kmax += contains(fit->kmax, truth.kmax) ? 1 : 0;
    pmax += contains(fit->pmax, truth.pmax) ? 1 : 0;
  }
  // If each interval contains the truth with a probability of 95 %, at least 53 of the 60 do so with a
  // probability of 99 %.
  CHECK(kmin >= 53);
  CHECK(kmax >= 53);
  CHECK(pmax >= 53);
}

TEST_CASE("A step has equal thresholds and no pmax", "[switchtest]") {
  const auto fit = fit_marking(marked_shares({50'000, 50'000, 1}, 20, 100, 1));
  REQUIRE(fit);
  CHECK_FALSE(fit->ramp);
  CHECK(fit->reaches_kmax);
  CHECK(fit->kmax.low == 48 * kStep);
  CHECK(fit->kmax.high == 49 * kStep);
  CHECK(fit->kmin.value == fit->kmax.value);
  CHECK(fit->share(49'000) == 0);
  CHECK(fit->share(51'000) == 1);
}

TEST_CASE("A queue too short for kmax bounds kmax and pmax from below", "[switchtest]") {
  unsigned kmin = 0;
  std::optional<MarkingFit> fit;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    fit = fit_marking(marked_shares({20'000, 200'000, 0.5}, 400, 100, seed));
    REQUIRE(fit);
    kmin += contains(fit->kmin, 20'000) ? 1 : 0;
  }
  CHECK(kmin >= 53);
  CHECK(fit->ramp);
  CHECK_FALSE(fit->reaches_kmax);
  CHECK(fit->kmin.high < 23'000);
  CHECK(fit->kmax.low == 99 * kStep);
  CHECK(fit->pmax.low < 0.5 * (99 * kStep - 20'000) / 180'000);
  CHECK(fit->pmax.low > 0.2);
}

TEST_CASE("Marks that no curve explains have no fit", "[switchtest]") {
  CHECK_FALSE(fit_marking(std::vector<DepthShare>{}));
  CHECK_FALSE(fit_marking(marked_shares({1e9, 1e9, 1}, 10, 50, 1)));
  std::vector<DepthShare> falling{{0, 10, 10}, {kStep, 10, 5}, {2 * kStep, 10, 0}};
  CHECK_FALSE(fit_marking(falling));
  CHECK(std::isinf(marking_likelihood(falling)));
  for (DepthShare& share : falling) share.marked = share.frames;
  const auto always = fit_marking(falling);
  REQUIRE(always);
  CHECK(always->kmax.high == 0);
}
