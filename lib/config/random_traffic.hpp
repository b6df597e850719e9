// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "config/section.hpp"

/// Keys `lengths`, `arrivals` and `seed` of a QP's traffic. Internal to the loader.
namespace softfeb::config {

/// Reads the keys. Reports combinations with other keys of `section` that make no sense. `traffic` must have
/// the other keys already.
void read_random_traffic(Section& section, TrafficConfig& traffic);

/// Sets ArrivalsConfig::rate of all QPs. The boards' link rates must be complete.
void resolve_arrivals(Reading& reading, RunConfig& config);

/// Reports settings of the QP that do not fit random lengths or arrivals.
void check_random_traffic(Reading& reading, const RunConfig& config, const QpConfig& qp);

}  // namespace softfeb::config
