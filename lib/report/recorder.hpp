// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "endpoints/endpoints.hpp"
#include "endpoints/plan.hpp"
#include "lab/metrics.hpp"
#include "lab/rate_watch.hpp"
#include "lab/run_stats.hpp"
#include "report/port_series.hpp"
#include "report/queue_series.hpp"
#include "report/series.hpp"
#include "stats/sample.hpp"

#include <optional>
#include <string>
#include <vector>

namespace softfeb::report {

/// Names of the files of a lab's report, in addition to the names in result.hpp.
inline constexpr const char* kReportPorts = "ports.csv";
inline constexpr const char* kReportQueues = "queues.csv";  ///< written only if a switch has `priorities`
inline constexpr const char* kReportWindows = "windows.csv";

/// Owns the observers of a run, which record the time series of its report and the metrics by which a lab is
/// judged.
class Recorder {
 public:
  /// `config`, `lab` and `plans` must outlive the recorder; `lab` is null for `softfeb run`. `report` is an
  /// existing folder; if empty, no time series are written. Throws EnvironmentError.
  Recorder(const config::RunConfig& config, const config::LabConfig* lab,
           const std::vector<endpoints::QpPlan>& plans, const std::optional<std::string>& report);

  /// Adds an observer of the boards' rates, if the lab checks rates. Call this function before observers(),
  /// and only in virtual time, because in real time the workers own the boards.
  void watch_rates(const endpoints::Endpoints& endpoints);
  std::vector<stats::Observer*> observers();
  /// Metrics of a lab experiment. Must not be called under `softfeb run`, which has no metrics.
  const lab::Metrics& metrics() const { return *metrics_; }
  /// Adds the results of the observer that watch_rates() added. Call after the run, while the boards still
  /// exist.
  void complete(lab::RunStats& stats) const;
  /// Completes the files. Call after the run. Throws EnvironmentError.
  void finish();

 private:
  void append(const lab::Window& window);

  const config::LabConfig* lab_;
  std::optional<lab::Metrics> metrics_;
  std::optional<lab::RateWatch> rates_;
  std::optional<Series> series_;
  std::optional<PortSeries> ports_;
  std::optional<QueueSeries> queues_;
  std::optional<AtomicFile> windows_;
  std::string failure_;
};

}  // namespace softfeb::report
