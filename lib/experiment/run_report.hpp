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
  const report::LabRun* in_virtual;  ///< run in virtual time that follows a run in real time; may be null

  lab::Verdict verdict() const;
  void write() const;
  /// Prints the table, draws the charts, and shows the result on the live page, which it keeps serving if the
  /// options request this. Returns the exit status. Call after write().
  int conclude(const std::string& speed) const;

 private:
  std::string document() const;
  /// Writes the image of the first receiver that has one.
  void write_camera_image(const std::string& folder) const;
  std::string table() const;
  /// Writes the files of receivers and captures. Returns one line per file.
  std::vector<std::string> files() const;
  void print(const std::string& table, const std::string& speed) const;
  void print_missed_changes() const;
};

}  // namespace softfeb::experiment
