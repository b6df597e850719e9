// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "experiment/driver.hpp"
#include "lab/metrics.hpp"
#include "lab/run_stats.hpp"
#include "stats/outcome.hpp"

#include <vector>

namespace softfeb::experiment {

/// Runs the phases in real or virtual time: start, warm-up, measurement, end of traffic, drain, flush if
/// the drain times out, settling. A stop signal ends the measurement early and starts the drain. A second
/// signal flushes outstanding requests. Finally completes the receivers' maps of missing messages
/// (endpoints::close_maps()). `observers` must outlive the call.
stats::Outcome run_phases(const config::RunConfig& config, Driver& driver,
                          std::vector<stats::Observer*> observers, const Driver::Say& say);

/// Returns the results by which a lab is judged. Call after run_phases() with `metrics` among the observers.
lab::RunStats lab_stats(const config::LabConfig& config, Driver& driver, const stats::Outcome& outcome,
                        const lab::Metrics& metrics);

}  // namespace softfeb::experiment
