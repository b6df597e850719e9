// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/marking_average.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace softfeb::switchtest {

namespace {

constexpr unsigned kMostWeight = 15;
constexpr double kWeightDrop = 3.841458820694124 / 2;  // 95 % quantile of chi-square, one degree of freedom

void widen_to_contain(Interval& to, const Interval& by) {
  to.low = std::min(to.low, by.low);
  to.high = std::max(to.high, by.high);
}

}  // namespace

void fit_average(std::span<const MarkedTrain> trains, std::uint32_t length, MarkingResult& result) {
  double best = -std::numeric_limits<double>::infinity();
  std::array<std::array<double, kMostWeight + 1>, 2> likelihoods{};
  unsigned weight = 0;
  for (const MarkedAt at : {MarkedAt::kEnqueue, MarkedAt::kDequeue})
    for (unsigned n = 1; n <= kMostWeight; ++n) {
      const double here = marking_likelihood(shares_by_average(trains, at, n, length));
      likelihoods[static_cast<std::size_t>(at)][n] = here;
      if (here <= best) continue;
      best = here;
      weight = n;
      result.at = at;
    }
  if (weight == 0) return;
  const auto fit = [&](unsigned n) { return fit_marking(shares_by_average(trains, result.at, n, length)); };
  result.fit = fit(weight);
  const auto& same = likelihoods[static_cast<std::size_t>(result.at)];
  const auto& other = likelihoods[1 - static_cast<std::size_t>(result.at)];
  result.at_is_known = best - *std::max_element(other.begin() + 1, other.end()) > kWeightDrop;
  result.weight = {static_cast<double>(weight), static_cast<double>(weight), static_cast<double>(weight)};
  for (unsigned n = 1; n <= kMostWeight && result.fit; ++n) {
    if (n == weight || same[n] < best - kWeightDrop) continue;
    const auto likely = fit(n);
    if (!likely) continue;
    widen_to_contain(result.weight, {0, static_cast<double>(n), static_cast<double>(n)});
    widen_to_contain(result.fit->kmin, likely->kmin);
    widen_to_contain(result.fit->kmax, likely->kmax);
    widen_to_contain(result.fit->pmax, likely->pmax);
  }
}

}  // namespace softfeb::switchtest
