// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "experiment/driver.hpp"
#include "lab/metrics.hpp"
#include "lab/run_stats.hpp"
#include "stats/outcome.hpp"

#include <vector>

namespace softfeb::experiment {

/// The phases of a run, in any kind of time: start, warm-up, measurement, end of traffic, drain, flush if the
/// drain timeout passes, settling. Ends early when a signal asks for it: the first one drains, the second one
/// flushes. Closes the receivers' maps of missing messages at the end. `observers` must outlive the call.
stats::Outcome run_phases(const config::RunConfig& config, Driver& driver,
                          std::vector<stats::Observer*> observers, const Driver::Say& say);

/// The results that a lab is judged by, after run_phases() with `metrics` among the observers.
lab::RunStats lab_stats(const config::LabConfig& config, Driver& driver, const stats::Outcome& outcome,
                        const lab::Metrics& metrics);

}  // namespace softfeb::experiment
