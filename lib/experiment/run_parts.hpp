// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "endpoints/endpoints.hpp"
#include "endpoints/targets.hpp"
#include "experiment/experiment.hpp"
#include "experiment/web.hpp"
#include "runtime/dpdk_runtime.hpp"
#include "runtime/worker_pool.hpp"
#include "slowcontrol/control_service.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// What runs in real time have in common, `softfeb run` and `softfeb lab`.
namespace softfeb::experiment {

/// Auto-negotiation and training of a fast link take seconds.

/// What a run is made of, to standard error: ports, workers, pacing.
void print_start(const config::RunConfig& config, const runtime::DpdkRuntime& dpdk,
                 const runtime::WorkerPool& pool);
/// Where boards' slow control is served. Of many boards the first and the last: the others are between.
void print_control(const config::RunConfig& config, const slowcontrol::ControlService& service);

/// While the peers set up their QPs they ask for our addresses: somebody must answer. `lab`: as WorkerPool
/// has it.
void connect_peers(const config::RunConfig& config, runtime::DpdkRuntime& dpdk, endpoints::Targets& targets,
                   const endpoints::Payloads& payloads, bool quiet, const config::LabConfig* lab = nullptr);
/// Tells the peers that it is over; what they say is in their sessions then, and the goodput that they
/// measured in Outcome::reported.
void end_sessions(endpoints::Targets& targets, stats::Outcome& o);

/// Says which of the configuration's changes were not made.
void print_missed_changes(const config::RunConfig& config, const stats::Outcome& o);

/// Messages that were sent and never came are missing, too.
void close_maps(const endpoints::Targets& targets, const stats::Outcome& o, endpoints::Endpoints& endpoints);

/// Of each port, the largest path MTU that it holds.
std::vector<std::uint32_t> largest_pmtus(const runtime::DpdkRuntime& dpdk);

/// Says so; returns the exit status.
int stopped_early();

/// Keeps the page until a signal comes, and says so.
void hold(Web& web, bool quiet);

}  // namespace softfeb::experiment
