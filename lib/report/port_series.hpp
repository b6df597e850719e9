// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "report/atomic_file.hpp"
#include "stats/rate_tracker.hpp"
#include "stats/sample.hpp"

#include <string>
#include <vector>

namespace softfeb::report {

/// Returns the names of the switches' ports, SWITCH.PEER, indexed like NetworkSnapshot::ports.
std::vector<std::string> port_names(const fabric::NetworkConfig& config,
                                    const fabric::NetworkSnapshot& network);

/// Writes ports.csv (doc/result.md): at every run.series_interval, one row for each switch port.
class PortSeries : public stats::Observer {
 public:
  /// Writes the heading. `config` must outlive this object. Throws EnvironmentError.
  PortSeries(const config::LabConfig& config, const std::string& path);

  Time due() const override { return due_; }
  /// A failed write ends the series, but not the run; finish() reports the failure.
  void add(const stats::Sample& sample) override;
  /// Call after end(). Renames the file to its final name. Throws EnvironmentError if a write has failed.
  void finish();

 private:
  void append(const std::string& name, const stats::PortInterval& port, double at);

  const config::LabConfig& config_;
  std::vector<std::string> names_;
  stats::RateTracker rates_;
  AtomicFile file_;
  std::string text_;
  std::string failure_;
  Time interval_;
  Time due_;
};

}  // namespace softfeb::report
