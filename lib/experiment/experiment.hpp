// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/live_table.hpp"
#include "runtime/worker_pool.hpp"
#include "slowcontrol/control_service.hpp"
#include "stats/observers.hpp"
#include "stats/outcome.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace softfeb::experiment {

/// Runs the traffic of a worker pool: start (at a wall-clock time where asked), warm-up, until done or the
/// duration is over, drain, flush.
class Experiment {
 public:
  /// Every wait is spent in `service`; `table` gets what people are told. `observers` get their samples on
  /// the thread that calls run(), one snapshot for all that are due; they outlive the experiment.
  Experiment(const config::RunConfig& config, runtime::DpdkRuntime& dpdk, runtime::WorkerPool& pool,
             slowcontrol::ControlService& service, report::LiveTable& table,
             std::vector<stats::Observer*> observers);
  stats::Outcome run();

 private:
  enum class Wait { kDone, kTime, kSignal };
  /// Until every board is done, `until`, or a signal more than `signals`.
  Wait wait(Time until, bool for_boards, int signals);
  /// When traffic begins, by what the wall clock says now.
  Time start_time();
  void begin();
  void drain();
  void settle();
  void tick();
  /// Serves the slow control for a while, at most until then.
  void nap(Time until);
  /// When the first of the observers is due, by the machine's clock.
  Time next_sample() const { return saturating_add(out_.started, observers_.due()); }
  stats::Sample sample_of(const std::vector<engine::EndpointSnapshot>& endpoints, Time now) const;

  const config::RunConfig& config_;
  runtime::DpdkRuntime& dpdk_;
  runtime::WorkerPool& pool_;
  slowcontrol::ControlService& service_;
  report::LiveTable& table_;
  stats::Observers observers_;
  stats::Outcome out_;
};

}  // namespace softfeb::experiment
