// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "lab/metrics.hpp"

#include <vector>

namespace softfeb::lab {

/// The part of a configuration that figures are made of. `flows`: every sending queue pair; whether it goes
/// through the bottleneck is found here.
MetricsConfig make_metrics_config(const config::LabConfig& config, std::vector<MetricsConfig::Flow> flows);

/// Whether frames from station `from` to station `to` leave switch `port.switch_index` by link `port.link`.
bool passes(const fabric::NetworkConfig& network, std::uint32_t from, std::uint32_t to,
            const MetricsConfig::Port& port);

}  // namespace softfeb::lab
