// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "experiment.hpp"
#include "targets.hpp"

#include <optional>

namespace softfeb::app {

/// What one sending QP achieved in the measured time.
struct QpFigures {
  std::uint64_t payload_bytes = 0;  ///< of messages that completed
  std::uint64_t messages = 0;
  double seconds = 0;
  double goodput_gbps = 0;             ///< payload of completed messages
  std::optional<double> offered_gbps;  ///< payload rate asked for; none when it is "max"
  std::optional<double> rate_error;    ///< achieved / asked - 1, of first transmissions
};

/// Payload rate that a queue pair is asked for; none when it is "max".
std::optional<double> offered_gbps(const config::QpConfig& qp);

QpFigures figures_of(const QpPlan& plan, const Outcome& outcome);

/// Seconds from the beginning of the measured time to the last completion.
double measured_seconds(const lab::Plans& plans, const Outcome& outcome);

/// Part of the time, 0 to 1, in which the machine did not run the worker that fared worst: what rates suffer
/// by others' work.
double stolen_share(const Outcome& o);

}  // namespace softfeb::app
