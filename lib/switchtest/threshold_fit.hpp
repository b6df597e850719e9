// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/estimators.hpp"

#include <optional>
#include <vector>

/// Dynamic thresholds (Choudhury and Hahne, 1998): a queue may hold α times the free memory. If `used` bytes
/// of a memory of B bytes are in use elsewhere, it therefore holds s·(B − used) with s = α/(1 + α).
namespace softfeb::switchtest {

/// What a queue held while `used` bytes of the memory were used elsewhere.
struct HeldPoint {
  double used = 0;
  double held = 0;           ///< bytes that were counted
  double low = 0, high = 0;  ///< between which the threshold lies
};

struct ThresholdFit {
  double alpha = 0;
  double alpha_low = 0;
  std::optional<double> alpha_high;  ///< nullopt: a queue may fill the memory (α = ∞)
  double pool = 0;                   ///< B
  double pool_low = 0;
  std::optional<double> pool_high;  ///< nullopt: the threshold may be constant (α = 0)
  double share = 0;                 ///< s
  double share_low = 0, share_high = 1;
};

/// Fits B and α by least squares. The intervals contain all thresholds that lie between `low` and `high` of
/// each point. nullopt: there are none, so the threshold is not of this form, or there are fewer than two
/// different values of `used`.
std::optional<ThresholdFit> fit_threshold(const std::vector<HeldPoint>& points);

}  // namespace softfeb::switchtest
