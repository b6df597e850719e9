// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "experiment/driver.hpp"
#include "experiment/judged_run.hpp"
#include "experiment/setup.hpp"
#include "lab/judge.hpp"
#include "report/lab_result.hpp"
#include "report/recorder.hpp"

#include <string>
#include <vector>

namespace softfeb::experiment {

/// Checks that all output files of a run can be written. Throws EnvironmentError.
void check_output(const Setup& setup);

/// Writes the results of an experiment, which consists of one or two runs.
struct RunReport {
  const Setup& setup;
  Driver& driver;
  report::Recorder& recorder;
  const JudgedRun& run;
  const report::LabRun* in_virtual;      ///< run in virtual time that follows a run in real time; may be null
  std::vector<std::string> unwritten{};  ///< why outputs could not be written

  lab::Verdict verdict() const;
  /// Writes the result and the report. If a file cannot be written, for example because the disk is full, all
  /// other files are written nevertheless, because a run may have taken days.
  void write();
  /// Prints the table, draws the charts, shows the result on the live page and, if the options request it,
  /// keeps serving this page. Returns the exit status, which is kEnvironment if an output could not be
  /// written. Call after write().
  int conclude(const std::string& speed);

 private:
  std::string document() const;
  /// Writes the camera image of the first receiver that has an image.
  void write_camera_image(const std::string& folder) const;
  std::string table() const;
  /// Writes the files of receivers and captures. Returns one line per file.
  std::vector<std::string> files();
  void print(const std::string& table, const std::string& speed);
  /// Calls `make`. If it throws EnvironmentError, adds the reason to `unwritten`.
  template <class Make>
  void attempt(Make make);
  void write_report(const std::string& folder, const std::string& result);
  void print_missed_changes() const;
};

}  // namespace softfeb::experiment
