// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "study/command.hpp"
#include "study/options.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace softfeb::study {

/// What an engine needs to know to run the missing points of a study.
struct Submission {
  std::string folder;      ///< the study's folder, absolute
  Arguments sweep;         ///< softfeb lab sweep, with configuration, overrides and --out; all paths absolute
  Arguments collect;       ///< options of the collecting command: --json, --report, ...
  std::size_t points = 0;  ///< of the whole study
  std::vector<std::size_t> missing;  ///< points to run, from 0, ascending; not empty
  double seconds_per_point = 0;      ///< measured on this host
  StudyOptions options;
};

/// Number of tasks for an amount of work: each takes at least 30 s, because an engine needs about a second
/// to start one; but at least as many tasks as `cpus` if each then takes at least 5 s. At most `most`.
std::size_t tasks_for(double seconds, std::size_t cpus, std::size_t points, std::size_t most);

/// The numbers of the tasks (from 1, of `count`) that have missing points, ascending.
std::vector<std::size_t> tasks_with_points(const std::vector<std::size_t>& missing, std::size_t count);

/// "1-4,7": the notation of job arrays.
std::string ranges(const std::vector<std::size_t>& numbers);

/// The script of an array's element. The number of the task is in `variable`.
std::string task_script(const Submission& s, std::size_t count, const std::string& variable);

/// Submits a job array to Slurm, and a job that collects the points afterwards. Returns their IDs as text for
/// the user. Throws EnvironmentError if Slurm refuses.
std::string submit_to_slurm(const Submission& s);

/// Runs the tasks with GNU parallel and waits for them. Returns its exit status. Throws EnvironmentError if
/// GNU parallel is missing.
int run_with_parallel(const Submission& s);

}  // namespace softfeb::study
