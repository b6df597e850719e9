// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::study {

/// The engine that runs the tasks of a study. With kHere, this process runs the points itself.
enum class Engine : std::uint8_t { kHere, kSlurm, kParallel };

/// Options of `softfeb lab sweep` about where the points are stored and what runs them.
struct StudyOptions {
  std::optional<std::string> out;      ///< folder of the study
  std::optional<std::string> task;     ///< run only the points of this task: I/N, or `auto`
  bool collect = false;                ///< run no points, but combine the results in the folder
  std::string on;                      ///< name of the engine; empty means Engine::kHere
  std::string hosts;                   ///< hosts for kParallel, separated by commas; empty means this host
  std::optional<std::size_t> tasks;    ///< number of tasks; empty if softfeb chooses it for the engine
  std::string engine_args;             ///< further arguments of sbatch or parallel, separated by blanks
  bool existing = false;               ///< the folder must already contain this study
  std::optional<std::size_t> threads;  ///< number of points that a process runs at a time
};

/// Returns the engine that `on` names. Throws ConfigError.
Engine engine_of(const StudyOptions& options);

/// Throws ConfigError, with the option and a fix, if options have no effect or contradict each other.
/// `writes_result` tells whether --json or --report is given.
void check(const StudyOptions& options, bool writes_result);

}  // namespace softfeb::study
