// SPDX-License-Identifier: BSD-3-Clause
#include "switchtest/spread.hpp"

#include "base/rng.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace softfeb::switchtest {

namespace {

/// Returns the median of values, and the interval that contains 95 % of the values.
Interval central_part(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
  };
  return {at(0.5), at(0.025), at(0.975)};
}

}  // namespace

Spread spread_of(std::span<const std::uint64_t> flows) {
  const std::uint64_t sum = std::accumulate(flows.begin(), flows.end(), std::uint64_t{0});
  if (sum == 0) return {};
  const double mean = static_cast<double>(sum) / static_cast<double>(flows.size());
  double chi_square = 0;
  std::vector<double> shares;
  for (const std::uint64_t n : flows) {
    shares.push_back(static_cast<double>(n));
    chi_square += (shares.back() - mean) * (shares.back() - mean) / mean;
  }
  return {.mmr = *std::max_element(shares.begin(), shares.end()) / mean,
          .jain = jain(shares),
          .p_value = chi_square_p(chi_square, static_cast<unsigned>(flows.size() - 1))};
}

IdealSpread ideal_spread(std::uint64_t flows, std::size_t paths, unsigned hashes, std::uint64_t seed) {
  Rng random(seed);
  std::vector<double> mmr, fairness;
  std::vector<std::uint64_t> counts(paths);
  for (unsigned h = 0; h < hashes; ++h) {
    std::fill(counts.begin(), counts.end(), 0);
    for (std::uint64_t f = 0; f < flows; ++f) ++counts[random.below(paths)];
    const Spread spread = spread_of(counts);
    mmr.push_back(spread.mmr);
    fairness.push_back(spread.jain);
  }
  return {central_part(std::move(mmr)), central_part(std::move(fairness))};
}

}  // namespace softfeb::switchtest
