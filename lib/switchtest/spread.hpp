// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/estimators.hpp"

#include <cstdint>
#include <span>

/// Measures how evenly flows are spread over paths. All functions are pure.
namespace softfeb::switchtest {

struct Spread {
  double mmr = 1;      ///< max-to-mean ratio: flows of the busiest path, divided by the mean of all paths
  double jain = 1;     ///< Jain's index of fairness
  double p_value = 1;  ///< p-value of Pearson's chi-square test for equal probabilities of all paths
};

/// Computes the spread of flows over paths. `flows` contains the number of flows of each path. Without flows,
/// all values are 1.
Spread spread_of(std::span<const std::uint64_t> flows);

/// Results of ideal hashes, which assign each flow to a random path: medians, and intervals that contain the
/// results of 95 % of the hashes.
struct IdealSpread {
  Interval mmr, jain;
};

/// Simulates `hashes` ideal hashes, each of which assigns `flows` flows to `paths` paths. Requires at least
/// one path and one hash.
IdealSpread ideal_spread(std::uint64_t flows, std::size_t paths, unsigned hashes, std::uint64_t seed);

}  // namespace softfeb::switchtest
