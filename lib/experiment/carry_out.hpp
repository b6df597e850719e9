// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "experiment/driver.hpp"
#include "experiment/event_files.hpp"
#include "experiment/judged_run.hpp"
#include "experiment/setup.hpp"

namespace softfeb::experiment {

/// Runs the experiment and writes its results. After a lab in real time, repeats the lab in virtual time if
/// this is possible. `watch` was started when the run began. Returns the exit status.
int carry_out(const Setup& setup, Driver& driver, EventFiles& files, const Stopwatch& watch);

}  // namespace softfeb::experiment
