// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::study {

/// Task `number` of `count`, counted from 1. It runs points number, number + count, number + 2 count, … of a
/// study; here, points are also numbered from 1. Adjacent points differ in the axis that varies fastest, so
/// tasks that take every count-th point need about the same time.
struct Task {
  std::size_t number = 1;
  std::size_t count = 1;

  bool has(std::size_t point) const { return point % count == number - 1; }  ///< `point` is counted from 0
  bool operator==(const Task&) const = default;
};

/// Returns the value of an environment variable; nullopt if it is not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> process_environment(const char* name);

/// Parses I/N. For `auto`, determines the task from the variables that Slurm (job arrays, srun), Open MPI or
/// MPICH set. Throws ConfigError.
Task parse_task(const std::string& text, const Environment& environment);

/// Number of points that a process should run at a time: `chosen` if it is given. Otherwise, a process that
/// runs a whole study uses all CPUs that it may use. A task uses the CPUs that Slurm assigned to it. Without
/// Slurm, a task uses one CPU, because the engine runs as many tasks as there are CPUs.
std::size_t thread_count(std::optional<std::size_t> chosen, bool is_task, const Environment& environment);

}  // namespace softfeb::study
