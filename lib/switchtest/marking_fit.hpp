// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/estimators.hpp"

#include <cstdint>
#include <optional>
#include <span>

/// Maximum likelihood of a marking curve. A frame is never marked if its queue is shorter than kmin, always
/// if it has at least kmax bytes, and in between with a probability that grows from 0 to pmax. Pure
/// functions.
namespace softfeb::switchtest {

/// Frames that met the same length of their queue.
struct DepthShare {
  double depth = 0;  ///< bytes
  std::uint64_t frames = 0, marked = 0;
};

/// Intervals are profile intervals for 95 %.
struct MarkingFit {
  Interval kmin, kmax;  ///< bytes
  Interval pmax;        ///< 0 to 1
  /// False: no frame was marked below kmax. Then kmin equals kmax, and pmax is not known.
  bool ramp = false;
  /// False: frames of the greatest depth were not all marked. Then kmax and pmax are lower bounds: only their
  /// `low` is valid.
  bool reaches_kmax = false;
  double log_likelihood = 0;

  /// Probability with which a frame at this depth is marked.
  double share(double depth) const;
};

/// Fits the curve to `shares`, which are sorted by depth, with different depths. nullopt: no frame was
/// marked, or no curve of this form explains the marks.
std::optional<MarkingFit> fit_marking(std::span<const DepthShare> shares);

/// Log-likelihood of the best curve; minus infinity if no curve explains the marks.
double marking_likelihood(std::span<const DepthShare> shares);

}  // namespace softfeb::switchtest
