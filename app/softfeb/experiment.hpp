// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "control_service.hpp"
#include "crew.hpp"
#include "lab/delivery.hpp"
#include "lab/observers.hpp"
#include "live_table.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace softfeb::app {

/// Goodput that a remote receiver measured.
struct ReportedGoodput {
  double seconds = 0;  ///< from its first to its last completion
  double gbps = 0;     ///< payload in that time
};

/// What a run gave: figures at three moments, and how it ended.
struct Outcome {
  Time started = 0;        ///< traffic began
  double start_up_s = 0;   ///< from the program's execution until it could
  Time measured_from = 0;  ///< end of the warm-up
  Time stopped = 0;  ///< traffic ended: the last message was made, the duration was over, or a signal came
  bool interrupted = false;
  bool flushed = false;          ///< requests were still outstanding when the drain timeout was over
  bool ended_in_warmup = false;  ///< then the figures are of the whole run
  std::vector<engine::EndpointSnapshot> baseline;  ///< at measured_from; empty without warm-up
  std::vector<engine::EndpointSnapshot> final;     ///< at the end
  std::optional<fabric::NetworkSnapshot> network;  ///< at the end; none without a network of ours
  dataplane::Worker::Totals totals;
  std::vector<dataplane::Worker::Totals> workers;
  std::uint64_t control_unserved = 0;
  std::vector<nlohmann::ordered_json> control;  ///< of each board, what its slow control did; null without
  std::vector<std::uint8_t> changes_made;       ///< as RunConfig::changes; the run may have ended before
  lab::DeliveryMap deliveries;                  ///< which receivers count what UC queue pairs deliver
  /// Reports of remote receivers, by board and QP of the board (lab::QpPlan).
  std::map<std::pair<std::size_t, std::size_t>, ReportedGoodput> reported;
};

/// Runs the traffic of a crew: start (at a wall-clock time where asked), warm-up, until done or the duration
/// is over, drain, flush.
class Experiment {
 public:
  /// Every wait is spent in `service`; `table` gets what people are told. `observers` get their samples on
  /// the thread that calls run(), one snapshot for all that are due; they outlive the experiment.
  Experiment(const config::RunConfig& config, Machine& machine, Crew& crew, ControlService& service,
             LiveTable& table, std::vector<lab::Observer*> observers);
  Outcome run();

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
  lab::Sample sample_of(const std::vector<engine::EndpointSnapshot>& endpoints, Time now) const;

  const config::RunConfig& config_;
  Machine& machine_;
  Crew& crew_;
  ControlService& service_;
  LiveTable& table_;
  lab::Observers observers_;
  Outcome out_;
};

}  // namespace softfeb::app
