// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/estimators.hpp"

#include <vector>

/// Estimates how evenly competitors share a port, from several trials with different random choices. The
/// intervals are 95 % confidence intervals, computed from the spread over trials (jackknife). All functions
/// are pure.
namespace softfeb::switchtest {

/// Number of frames that arrived, by trial and by competitor. There must be at least three trials, each with
/// arrivals.
using SharesByTrial = std::vector<std::vector<double>>;

/// Estimates Jain's index of the shares in the long run. The index of a single trial is biased low, because
/// random differences between shares look like unfairness. Such differences are independent between trials,
/// so products of shares from different trials are not biased.
Interval long_run_jain(const SharesByTrial& trials);

/// Largest share divided by the smallest share, over all trials together. Requires that each competitor has
/// arrivals.
Interval largest_ratio(const SharesByTrial& trials);

/// True if at least one competitor has no arrivals in any trial.
bool has_starved(const SharesByTrial& trials);

}  // namespace softfeb::switchtest
