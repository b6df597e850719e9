// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stats/sample.hpp"
#include "telemetry/links.hpp"
#include "telemetry/prometheus_text.hpp"
#include "telemetry/run_info.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace softfeb::telemetry {

/// Maximum number of QPs for which each QP has its own series. If there are more QPs, only series per board
/// are written.
inline constexpr std::size_t kQpSeries = 64;

/// Formats `sample` in Prometheus' text format (doc/telemetry.md lists the names). Before the first sample,
/// `sample.endpoints` is null. In this case, writes only the run's description and its slow-control links.
std::string metrics(const RunInfo& info, const stats::Sample& sample,
                    const std::vector<LinkView>& links = {});

}  // namespace softfeb::telemetry
