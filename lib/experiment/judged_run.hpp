// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "experiment/driver.hpp"
#include "experiment/event_files.hpp"
#include "experiment/setup.hpp"
#include "lab/checks.hpp"
#include "report/lab_result.hpp"
#include "report/live_table.hpp"
#include "report/recorder.hpp"
#include "stats/outcome.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::experiment {

/// A finished run and its checks.
struct JudgedRun {
  stats::Outcome outcome;
  lab::Judgement checks;              ///< checks that apply to every run
  std::optional<report::LabRun> lab;  ///< checks of the lab; empty for `softfeb run`
};

/// Creates the table for the terminal.
void make_table(const Setup& setup, const Driver& driver, std::optional<report::LiveTable>& table);

/// Sessions with remote receivers; none in virtual time.
const std::vector<endpoints::Targets::Session>& sessions_of(const Driver& driver);

/// Runs the phases and judges the run. `files` contains the event files of the run, and may be null. `table`
/// must outlive the driver, which may write to the table until the driver is destroyed.
JudgedRun run_and_judge(const Setup& setup, Driver& driver, report::Recorder& recorder,
                        report::LiveTable& table, EventFiles* files);

/// Returns a line for the user about the speed of the simulation. `seconds` is the real time that the run
/// took.
std::string speed_text(const Driver& driver, const JudgedRun& run, double seconds);

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begun_ = Clock::now();
};

}  // namespace softfeb::experiment
