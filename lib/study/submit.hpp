// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "study/command.hpp"
#include "study/options.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace softfeb::study {

/// What an engine must know to run the missing points of a study.
struct Submission {
  std::string folder;  ///< the study's folder, absolute
  /// The command `softfeb lab sweep` with the configuration, the overrides and --out. All paths are absolute.
  Arguments sweep;
  Arguments collect;       ///< options of the command that collects the results: --json, --report, ...
  std::size_t points = 0;  ///< number of points of the whole study
  std::vector<std::size_t> missing;  ///< points to run, from 0, ascending; not empty
  double seconds_per_point = 0;      ///< time for one point, measured on this host
  StudyOptions options;
};

/// Number of tasks for `points` points that take `seconds` in total. A task should take at least 30 s,
/// because an engine needs about a second to start a task. If this would leave some of the `cpus` CPUs idle,
/// tasks may be shorter, but take at least 5 s. The result is at least 1, and at most the smaller of `points`
/// and `most`.
std::size_t tasks_for(double seconds, std::size_t cpus, std::size_t points, std::size_t most);

/// Returns the numbers of the tasks, out of `count`, that have missing points. Numbers begin at 1 and are in
/// ascending order.
std::vector<std::size_t> tasks_with_points(const std::vector<std::size_t>& missing, std::size_t count);

/// Formats numbers in the notation of job arrays, such as "1-4,7".
std::string ranges(const std::vector<std::size_t>& numbers);

/// Returns the script for one element of a job array. `variable` is the environment variable with the number
/// of the task.
std::string task_script(const Submission& s, std::size_t count, const std::string& variable);

/// Submits a job array to Slurm, and a job that collects the results afterwards. Returns a text with their
/// IDs for the user. Throws EnvironmentError if Slurm rejects a job.
std::string submit_to_slurm(const Submission& s);

/// Runs the tasks with GNU parallel and waits for them. Returns its exit status. Throws EnvironmentError if
/// GNU parallel is missing.
int run_with_parallel(const Submission& s);

}  // namespace softfeb::study
