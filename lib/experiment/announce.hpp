// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "runtime/dpdk_runtime.hpp"
#include "runtime/worker_pool.hpp"
#include "slowcontrol/control_service.hpp"

/// What the user is told on standard error when a run in real time starts.
namespace softfeb::experiment {

/// Ports, workers, steering, pacing and memory.
void announce_run(const config::RunConfig& config, const runtime::DpdkRuntime& dpdk,
                  const runtime::WorkerPool& pool);

/// Where the boards' slow control is served. With more than eight boards only the first and the last are
/// named.
void announce_control(const config::RunConfig& config, const slowcontrol::ControlService& service);

}  // namespace softfeb::experiment
