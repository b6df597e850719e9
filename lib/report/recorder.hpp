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

/// The observers that every run has: the time series of its report, and the metrics that a lab is judged by.
class Recorder {
 public:
  /// `config`, `lab` and `plans` must outlive the recorder; `lab` is null for `softfeb run`. `report`: an
  /// existing folder; none: no series. Throws EnvironmentError.
  Recorder(const config::RunConfig& config, const config::LabConfig* lab,
           const std::vector<endpoints::QpPlan>& plans, const std::optional<std::string>& report);

  /// Adds an observer of the boards' rates, if the lab has checks of them. Only in virtual time, where no
  /// worker owns the boards. Call before observers().
  void watch_rates(const endpoints::Endpoints& endpoints);
  std::vector<stats::Observer*> observers();
  /// Only for a lab.
  const lab::Metrics& metrics() const { return *metrics_; }
  /// After the run, while the boards still exist: adds what watch_rates() found.
  void complete(lab::RunStats& stats) const;
  /// After the run: completes the files. Throws EnvironmentError.
  void finish();

 private:
  void append(const lab::Window& window);

  const config::LabConfig* lab_;
  std::optional<lab::Metrics> metrics_;
  std::optional<lab::RateWatch> rates_;
  std::optional<Series> series_;
  std::optional<PortSeries> ports_;
  std::optional<AtomicFile> windows_;
  std::string failure_;
};

}  // namespace softfeb::report
