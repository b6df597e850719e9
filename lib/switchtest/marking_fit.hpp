// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/estimators.hpp"

#include <cstdint>
#include <optional>
#include <span>

/// Maximum-likelihood fit of a marking curve. Frames are never marked if their queue is shorter than kmin,
/// and are always marked if the queue has at least kmax bytes. In between, the probability grows from 0 to
/// pmax. All functions are pure.
namespace softfeb::switchtest {

/// Counts of the frames that found the same queue length.
struct DepthShare {
  double depth = 0;  ///< bytes
  std::uint64_t frames = 0, marked = 0;
};

/// A fitted marking curve. The intervals are 95 % profile-likelihood intervals.
struct MarkingFit {
  Interval kmin, kmax;  ///< bytes
  Interval pmax;        ///< 0 to 1
  /// If this is false, no frame was marked at a depth below kmax. Then kmin equals kmax, and pmax is unknown.
  bool ramp = false;
  /// If this is false, some frames at the greatest depth were not marked. Then kmax and pmax are lower
  /// bounds, and only their `low` is valid.
  bool reaches_kmax = false;
  double log_likelihood = 0;

  /// Probability with which a frame at this depth is marked.
  double share(double depth) const;
};

/// Fits the curve to `shares`, which must be in ascending order of depth, without duplicates. Returns
/// std::nullopt if no frame was marked, or if no curve of this form explains the marks.
std::optional<MarkingFit> fit_marking(std::span<const DepthShare> shares);

/// Log-likelihood of the best curve; minus infinity if no curve explains the marks.
double marking_likelihood(std::span<const DepthShare> shares);

}  // namespace softfeb::switchtest
