// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "experiment/experiment.hpp"
#include "report/lab_recorder.hpp"
#include "report/lab_result.hpp"
#include "simulator/virtual_lab.hpp"

#include <cstdint>
#include <functional>

namespace softfeb::experiment {

/// An experiment as it went in virtual time.
struct VirtualExperiment {
  stats::Outcome outcome;
  fabric::NetworkSnapshot network;
  report::LabRun run;
  std::uint64_t events = 0;
  double seconds = 0;  ///< of the clock
};

/// Runs it, with a table of it on the terminal (LiveTable), until its end or a signal. `meanwhile` is called
/// now and then.
VirtualExperiment run_virtually(
    const config::LabConfig& config, simulator::VirtualLab& lab, report::LabRecorder& recorder, bool quiet,
    const std::function<void()>& meanwhile = [] {});

/// How fast it went: "12.3 s of the fabric's time in 4.5 s: 5.6 million events a second, 0.7 us a packet".
std::string speed_in_words(const VirtualExperiment& experiment);

}  // namespace softfeb::experiment
