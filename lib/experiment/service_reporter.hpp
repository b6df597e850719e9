// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "endpoints/plan.hpp"
#include "service/notifier.hpp"
#include "stats/rate_tracker.hpp"
#include "stats/sample.hpp"

#include <vector>

namespace softfeb::experiment {

/// Tells the service manager that the workers are alive, and what the run does. A sample exists only if every
/// worker has delivered its counters, so the watchdog also notices a worker that hangs.
class ServiceReporter final : public stats::Observer {
 public:
  /// The arguments must outlive this object.
  ServiceReporter(const config::RunConfig& config, const std::vector<endpoints::QpPlan>& plans,
                  service::Notifier& notifier);

  Time due() const override { return due_; }
  void add(const stats::Sample& sample) override;
  void end(const stats::Sample&) override { due_ = kNever; }

 private:
  void report(const stats::Sample& sample);

  const config::RunConfig& config_;
  service::Notifier& notifier_;
  stats::RateTracker rates_;
  Time interval_ = kNever;  ///< time between two samples; kNever if no service manager listens
  Time due_ = kNever;
  Time status_due_ = 0;
};

}  // namespace softfeb::experiment
