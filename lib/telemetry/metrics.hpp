// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stats/sample.hpp"
#include "telemetry/links.hpp"
#include "telemetry/run_info.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace softfeb::telemetry {

/// Up to this many QPs have their own series; with more QPs there are only series per board.
inline constexpr std::size_t kQpSeries = 64;

/// Formats `sample` in Prometheus' text format (doc/telemetry.md lists the names). If `sample.endpoints` is
/// null, before the first sample, writes only the run's description and its slow control links.
std::string metrics(const RunInfo& info, const stats::Sample& sample,
                    const std::vector<LinkView>& links = {});

}  // namespace softfeb::telemetry
