// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/compared.hpp"
#include "report/lab_result.hpp"

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

/// The results of `softfeb lab compare`.
namespace softfeb::report {

/// A run of the comparison.
struct ComparedRun {
  const config::ComparedLab* lab = nullptr;
  bool done = false;
  std::string error;  ///< why the run was not completed; empty if it was completed or ended by a signal
  nlohmann::ordered_json result;    ///< result document of the run
  LabRun judged;                    ///< figures of the run, and the experiment's checks of these figures
  std::vector<std::string> failed;  ///< names of the checks that count towards the verdict and did not hold
  /// Means over the run (lab::RunMeans): the goodput in bytes per second, the length of the queue in bytes,
  /// and the RTT in seconds.
  std::optional<double> goodput, queue_bytes_mean, rtt_s;

  /// True if the run was completed, and all its checks held.
  bool held() const { return done && failed.empty() && judged.verdict == lab::Verdict::kHeld; }
};

/// Returns the name of the algorithm that the first queue pair uses: `off`, `firmware`, `paper`, or the name
/// of an algorithm of lib/congestion or of a plug-in. Returns `off` if there are no queue pairs.
std::string algorithm_of(const config::ComparedLab& lab);

/// Returns the result document (doc/result.md). `base` is the lab of the configuration file, without the
/// changes that were made for each run.
nlohmann::ordered_json compare_json(const config::LabConfig& base,
                                    const std::vector<config::UnfitAlgorithm>& unfit,
                                    const std::vector<ComparedRun>& runs);

/// Returns the table for the terminal: one column per run, followed by the changes that were made for each
/// run.
std::string compare_table(const config::LabConfig& base, const std::vector<config::UnfitAlgorithm>& unfit,
                          const std::vector<ComparedRun>& runs);

}  // namespace softfeb::report
