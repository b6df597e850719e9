// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::study {

/// The engine that runs the tasks of a study; kHere: this process.
enum class Engine : std::uint8_t { kHere, kSlurm, kParallel };

/// Options of `softfeb lab sweep` that say where its points are stored and who runs them.
struct StudyOptions {
  std::optional<std::string> out;      ///< the study's folder
  std::optional<std::string> task;     ///< I/N, or auto: run only this task's points
  bool collect = false;                ///< run no points, and combine those in the folder
  std::string on;                      ///< name of the engine; empty: kHere
  std::string hosts;                   ///< kParallel: hosts, separated by commas; empty: this host
  std::optional<std::size_t> tasks;    ///< number of tasks; nullopt: chosen by the engine's rule
  std::string engine_args;             ///< further arguments of sbatch or parallel, separated by blanks
  bool existing = false;               ///< the folder must already have the study
  std::optional<std::size_t> threads;  ///< points run at a time by one process
};

/// The engine that `on` names. Throws ConfigError.
Engine engine_of(const StudyOptions& options);

/// Refuses options that have no effect or contradict each other. `writes_result`: --json or --report is
/// given. Throws ConfigError, which names the option and the fix.
void check(const StudyOptions& options, bool writes_result);

}  // namespace softfeb::study
