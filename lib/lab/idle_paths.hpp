// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "endpoints/plan.hpp"

namespace softfeb::lab {

/// Sets QpPlan::idle_path of each QP that sends messages with random lengths or arrivals over the simulated
/// network to a receiver of this process. Call before endpoints::make_endpoints().
void find_idle_paths(const config::LabConfig& config, endpoints::Plans& plans);

}  // namespace softfeb::lab
