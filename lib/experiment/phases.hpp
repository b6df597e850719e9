// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "experiment/driver.hpp"
#include "stats/outcome.hpp"

#include <vector>

namespace softfeb::experiment {

/// The phases of a run, in any kind of time: start, warm-up, measurement, end of traffic, drain, flush if the
/// drain timeout passes, settling. Ends early when a signal asks for it: the first one drains, the second one
/// flushes. Closes the receivers' maps of missing messages at the end. `observers` must outlive the call.
stats::Outcome run_phases(const config::RunConfig& config, Driver& driver,
                          std::vector<stats::Observer*> observers, const Driver::Say& say);

}  // namespace softfeb::experiment
