// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace softfeb::report {

/// Makes index.html and the charts of a report's folder, which has its configuration, result and time series:
/// by a program of its own (tools/report), since Python draws better than we do. Called when all traffic is
/// over. Where it cannot be done, standard error says why and what to do; nothing else depends on it.
void make_pictures(const std::string& folder, bool quiet);

}  // namespace softfeb::report
