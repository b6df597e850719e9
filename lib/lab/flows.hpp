// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/plan.hpp"
#include "lab/conservation.hpp"
#include "lab/metrics.hpp"

#include <vector>

namespace softfeb::lab {

/// Returns the sending QPs for the metrics. Call make_metrics_config() afterwards; that function determines
/// which of these QPs pass the bottleneck.
std::vector<MetricsConfig::Flow> flows_of(const config::RunConfig& config,
                                          const std::vector<endpoints::QpPlan>& plans);

std::vector<PayloadAccount> accounts_of(const config::RunConfig& config,
                                        const std::vector<endpoints::QpPlan>& plans);

}  // namespace softfeb::lab
