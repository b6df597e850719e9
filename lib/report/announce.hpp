// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "runtime/dpdk_runtime.hpp"
#include "runtime/worker_pool.hpp"
#include "slowcontrol/control_service.hpp"

/// When a run in real time starts, prints a description of the run on standard error.
namespace softfeb::report {

/// Prints ports, workers, steering, pacing (with the expected error, doc/pacing.md) and memory.
void announce_run(const config::RunConfig& config, const runtime::DpdkRuntime& dpdk,
                  const runtime::WorkerPool& pool);

/// Prints the addresses at which the boards' slow control answers. If there are more than eight boards, lists
/// only the first and the last.
void announce_control(const config::RunConfig& config, const slowcontrol::ControlService& service);

}  // namespace softfeb::report
