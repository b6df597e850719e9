// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "crew.hpp"
#include "experiment.hpp"
#include "lab/conservation.hpp"
#include "machine.hpp"

#include <string>
#include <vector>

/// Where packets of a network in real time have been, counted by everybody who had them.
namespace softfeb::app {

/// What passes between stations and network beside the endpoints' own frames. After Crew::quit().
lab::Edge edge_of(const config::LabConfig& lab, const Machine& machine, const Crew& crew,
                  const Outcome& outcome);

/// What was put into the rings between endpoints and network, and what was taken out (rings_conserved).
lab::Balance ring_balance(const config::LabConfig& lab, const Machine& machine);

/// Lines for people when the network's worker, or a board's, fell behind; empty when all kept up.
std::vector<std::string> lateness_lines(const config::LabConfig& lab, const Outcome& outcome);

}  // namespace softfeb::app
