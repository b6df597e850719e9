// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "study/point.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace softfeb::experiment {

/// Runs a lab in virtual time for a parameter study. A failure of the lab is part of the result
/// (PointRun::error). Throws EnvironmentError and std::bad_alloc if this host lacks something, because
/// another host may be able to run the point. After a stop signal, PointRun::done is false.
study::PointRun run_point(const config::LabConfig& config);

/// Calls `work` for each item, in ascending order, on several threads in parallel. Stops if a stop signal
/// arrives or a call throws. Then waits for the calls in progress, and throws the exception of the lowest
/// item.
void run_in_threads(const std::vector<std::size_t>& items, std::size_t threads,
                    const std::function<void(std::size_t)>& work);

}  // namespace softfeb::experiment
