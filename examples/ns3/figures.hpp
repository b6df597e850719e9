// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "config/lab_config.hpp"
#include "experiment/driver.hpp"
#include "lab/run_stats.hpp"
#include "stats/observers.hpp"
#include "stats/outcome.hpp"
#include "stats/sample.hpp"

#include <cstdint>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

namespace softfeb::ns3model {

/// Samples the whole run. Computes the mean queue of the bottleneck, and writes all counters of each sample
/// to a file, so that two simulators can be compared in every detail.
class Series : public stats::Observer {
 public:
  /// Writes the counters to the file `path`; if `path` is empty, no file is written. Throws
  /// std::runtime_error if the file cannot be opened.
  Series(const config::LabConfig& config, const std::string& path);

  Time due() const override { return due_; }
  void add(const stats::Sample& sample) override;
  void end(const stats::Sample& sample) override;

  /// Mean number of bytes in the queue of the bottleneck while boards send; 0 without a bottleneck.
  double queue_mean() const { return samples_ == 0 ? 0 : queue_sum_ / static_cast<double>(samples_); }

 private:
  void write(const stats::Sample& sample);

  const config::LabConfig& config_;
  std::string path_;
  std::ofstream out_;
  Time due_;
  double queue_sum_ = 0;
  std::uint64_t samples_ = 0;
};

/// Returns the results of a run, named as in the table. `seconds` is the CPU time of the simulation.
nlohmann::ordered_json figures(const config::LabConfig& config, experiment::Driver& driver,
                               const stats::Outcome& outcome, const lab::RunStats& stats, double queue_mean,
                               double seconds);

/// Returns the sums of the times that messages took from stage to stage, in picoseconds; null if these times
/// are not recorded.
nlohmann::ordered_json message_times(const stats::Outcome& outcome);

}  // namespace softfeb::ns3model
