// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "experiment/driver.hpp"
#include "lab/judge.hpp"
#include "lab/metrics.hpp"
#include "stats/outcome.hpp"

namespace softfeb::experiment {

/// What a lab is judged by, after run_phases() with `metrics` among the observers.
lab::RunStats lab_stats(const config::LabConfig& config, Driver& driver, const stats::Outcome& outcome,
                        const lab::Metrics& metrics);

}  // namespace softfeb::experiment
