// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "endpoints/endpoints.hpp"
#include "endpoints/plan.hpp"
#include "lab/metrics.hpp"
#include "lab/rate_watch.hpp"
#include "lab/run_stats.hpp"
#include "report/port_series.hpp"
#include "report/series.hpp"
#include "stats/sample.hpp"

#include <optional>
#include <string>
#include <vector>

namespace softfeb::report {

/// Files of a lab's report beside those of result.hpp.
inline constexpr const char* kReportPorts = "ports.csv";
inline constexpr const char* kReportWindows = "windows.csv";

/// Those who look at every run of an experiment: its figures, and the time series of a report.
class LabRecorder {
 public:
  /// `config` and `plans` outlive the recorder. `report`: a folder that is there; none: figures alone. Throws
  /// EnvironmentError.
  LabRecorder(const config::LabConfig& config, const std::vector<endpoints::QpPlan>& plans,
              const std::optional<std::string>& report);

  /// The boards of the run, while no worker has them: to those whose rates the experiment judges. Before
  /// observers().
  void prepare(const endpoints::Endpoints& endpoints);
  std::vector<stats::Observer*> observers();
  const lab::Metrics& metrics() const { return metrics_; }
  /// After the run, while the boards are still there: the figures of rates.
  void complete(lab::RunStats& figures) const;
  /// After the run: the files are there. Throws EnvironmentError.
  void finish();

 private:
  void append(const lab::Window& window);

  const config::LabConfig& config_;
  lab::Metrics metrics_;
  std::optional<lab::RateWatch> rates_;  ///< where the experiment judges them
  std::optional<Series> series_;
  std::optional<PortSeries> ports_;
  std::optional<AtomicFile> windows_;
  std::string failure_;
};

}  // namespace softfeb::report
