// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/estimators.hpp"

#include <optional>
#include <vector>

/// Dynamic thresholds (Choudhury and Hahne, 1998): a queue may hold α times the free memory. If other queues
/// occupy `used` bytes of a memory of B bytes, a full queue therefore holds s·(B − used) bytes, where s =
/// α/(1 + α).
namespace softfeb::switchtest {

/// The length of a full queue while other queues occupied `used` bytes of the memory.
struct HeldPoint {
  double used = 0;
  double held = 0;           ///< bytes that the queue held
  double low = 0, high = 0;  ///< bounds of the threshold
};

struct ThresholdFit {
  double alpha = 0;
  double alpha_low = 0;
  std::optional<double> alpha_high;  ///< empty if a queue may fill the memory (α = ∞)
  double pool = 0;                   ///< B
  double pool_low = 0;
  std::optional<double> pool_high;  ///< empty if the threshold may be constant (α = 0)
  double share = 0;                 ///< s
  double share_low = 0, share_high = 1;
};

/// Fits B and α by least squares. The intervals contain the parameters of all thresholds that lie between
/// `low` and `high` at every point. Returns std::nullopt if there is no such threshold, or if there are fewer
/// than two different values of `used`.
std::optional<ThresholdFit> fit_threshold(const std::vector<HeldPoint>& points);

}  // namespace softfeb::switchtest
