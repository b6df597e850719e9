// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace softfeb::report {

/// Creates index.html and the charts in a report's folder, which already contains configuration, result and
/// time series. Runs a separate Python program (tools/report). Call this function after all traffic has
/// ended. Prints the path of index.html unless `quiet` is true. On failure, prints the reason and a fix to
/// standard error. A failure does not affect the other results of the run.
void make_pictures(const std::string& folder, bool quiet);

}  // namespace softfeb::report
