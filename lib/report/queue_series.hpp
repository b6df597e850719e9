// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "report/atomic_file.hpp"
#include "stats/rate_tracker.hpp"
#include "stats/sample.hpp"

#include <array>
#include <string>
#include <vector>

namespace softfeb::report {

/// True if any switch has `priorities`. The queues of such a switch are reported one by one.
bool has_priorities(const config::LabConfig& config);

/// Writes queues.csv (doc/lab.md): at every run.series_interval, one row for each queue of the ports of the
/// switches with `priorities`.
class QueueSeries : public stats::Observer {
 public:
  /// Writes the heading. `config` must outlive this object. Throws EnvironmentError.
  QueueSeries(const config::LabConfig& config, const std::string& path);

  Time due() const override { return due_; }
  /// A failed write ends the series, but not the run; finish() reports the failure.
  void add(const stats::Sample& sample) override;
  /// Call after end(). Renames the file to its final name. Throws EnvironmentError if a write has failed.
  void finish();

 private:
  using Counters = std::array<fabric::QueueSnapshot, fabric::kQueues>;

  void append(std::size_t p, const fabric::PortSnapshot& port, double at, double seconds);

  const config::LabConfig& config_;
  std::vector<std::string> names_;
  std::vector<Counters> before_;  ///< indexed like NetworkSnapshot::ports
  stats::RateTracker rates_;
  AtomicFile file_;
  std::string text_;
  std::string failure_;
  Time interval_;
  Time due_;
};

}  // namespace softfeb::report
