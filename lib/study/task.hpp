// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::study {

/// Task `number` of `count`, from 1: it runs points number, number + count, number + 2 count, … of a study,
/// whose points are also numbered from 1. Neighbours differ in the axis that varies fastest, so tasks that
/// take every count-th point need similar times.
struct Task {
  std::size_t number = 1;
  std::size_t count = 1;

  bool has(std::size_t point) const { return point % count == number - 1; }  ///< point: from 0
  bool operator==(const Task&) const = default;
};

/// Returns the value of an environment variable; nullopt: it is not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> process_environment(const char* name);

/// Parses I/N, or for `auto` takes the task's number from the variables that Slurm (job arrays, srun), Open
/// MPI and MPICH set. Throws ConfigError.
Task parse_task(const std::string& text, const Environment& environment);

/// Number of points that a process should run at a time: `chosen` if it is given; all CPUs that the process
/// may use if it runs a whole study; for a task, the CPUs that Slurm gave to it, or one, because the engine
/// runs as many tasks as there are CPUs.
std::size_t thread_count(std::optional<std::size_t> chosen, bool is_task, const Environment& environment);

}  // namespace softfeb::study
