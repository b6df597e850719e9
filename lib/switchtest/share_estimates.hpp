// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/estimators.hpp"

#include <vector>

/// How evenly competitors share a port, from several trials with different random choices. Intervals are for
/// 95 %, from the spread of the trials (jackknife). Pure functions.
namespace softfeb::switchtest {

/// Frames that arrived: by trial, and by competitor. At least three trials; each has arrivals.
using SharesByTrial = std::vector<std::vector<double>>;

/// Jain's index of the shares in the long run. The index of a single trial is too small, because random
/// differences of the shares look like unfairness; those of different trials are independent and cancel out.
Interval long_run_jain(const SharesByTrial& trials);

/// Largest share divided by the smallest one, over all trials. Requires that each competitor has arrivals.
Interval largest_ratio(const SharesByTrial& trials);

/// True if a competitor got nothing in any trial.
bool has_starved(const SharesByTrial& trials);

}  // namespace softfeb::switchtest
