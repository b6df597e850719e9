// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "control_service.hpp"
#include "crew.hpp"
#include "endpoints.hpp"
#include "experiment.hpp"
#include "machine.hpp"
#include "targets.hpp"
#include "web.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// What runs in real time have in common, `softfeb run` and `softfeb lab`.
namespace softfeb::app {

/// Auto-negotiation and training of a fast link take seconds.

/// What a run is made of, to standard error: ports, workers, pacing.
void print_start(const config::RunConfig& config, const Machine& machine, const Crew& crew);
/// Where boards' slow control is served. Of many boards the first and the last: the others are between.
void print_control(const config::RunConfig& config, const ControlService& service);

/// While the peers set up their QPs they ask for our addresses: somebody must answer. `lab`: as Crew has it.
void connect_peers(const config::RunConfig& config, Machine& machine, Targets& targets,
                   const Payloads& payloads, bool quiet, const config::LabConfig* lab = nullptr);
/// Tells the peers that it is over; what they say is in their sessions then, and the goodput that they
/// measured in Outcome::reported.
void end_sessions(Targets& targets, Outcome& o);

/// Says which of the configuration's changes were not made.
void print_missed_changes(const config::RunConfig& config, const Outcome& o);

/// Messages that were sent and never came are missing, too.
void close_maps(const Targets& targets, const Outcome& o, Endpoints& endpoints);

/// Of each port, the largest path MTU that it holds.
std::vector<std::uint32_t> largest_pmtus(const Machine& machine);

/// Says so; returns the exit status.
int stopped_early();

/// Keeps the page until a signal comes, and says so.
void hold(Web& web, bool quiet);

}  // namespace softfeb::app
