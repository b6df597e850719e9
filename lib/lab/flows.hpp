// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "lab/conservation.hpp"
#include "lab/metrics.hpp"
#include "lab/plan.hpp"

#include <vector>

namespace softfeb::lab {

/// Of each sending QP, whether its congestion control is its own: false where an earlier QP shares it and
/// stands for it.
std::vector<bool> own_rates(const config::RunConfig& config, const std::vector<QpPlan>& plans);

/// Sending QPs as the figures see them; where they lead is for make_metrics_config().
std::vector<MetricsConfig::Flow> flows_of(const config::RunConfig& config, const std::vector<QpPlan>& plans);

std::vector<PayloadAccount> accounts_of(const config::RunConfig& config, const std::vector<QpPlan>& plans);

}  // namespace softfeb::lab
