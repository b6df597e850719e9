// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/lab_config.hpp"
#include "endpoints/endpoints.hpp"
#include "endpoints/payloads.hpp"
#include "endpoints/plan.hpp"
#include "engine/completion_times.hpp"
#include "lab/conservation.hpp"
#include "lab/fault_rules.hpp"
#include "lab/metrics.hpp"
#include "lab/spread.hpp"
#include "lab/totals.hpp"
#include "stats/sample.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::lab {

/// All results of one run of an experiment.
struct RunStats {
  bool virtual_time = false;
  /// Share of the time for which the host preempted the most affected worker.
  double preempted_share = 0;
  LabStats metrics;
  Totals totals;
  std::vector<Balance> balances;
  std::uint64_t memory_wrong = 0;       ///< bytes of receivers' memory with unexpected content
  std::optional<double> rate_tracking;  ///< empty if not checked
  std::optional<double> sawtooth;
  std::shared_ptr<const engine::CompletionTimes> completion_times;  ///< see completion_times()
  std::vector<LinkRuleResults> link_rules;                          ///< results of the fault rules of links
  std::vector<Spread> spreads;  ///< spread of frames over equal-cost ports; empty without multipath
  /// Number of fault rules of ports and links that were never hit; empty if there are no rules.
  std::optional<std::uint64_t> rules_never_hit;
  std::vector<std::string> rule_messages;  ///< a line for each rule that was never hit
};

/// Completion times of all boards together; null if no QP has random message lengths or arrivals.
std::shared_ptr<const engine::CompletionTimes> completion_times(const endpoints::Endpoints& endpoints);

/// Counts bytes of the receivers' memory that differ from what the QPs' last messages should have left there.
/// Skips contiguous windows, event data and transfers. For QPs that failed or are unreliable, and for those
/// of traffic generators, checks only the memory that no message reached. `last` is the last sample.
std::uint64_t memory_wrong(const config::RunConfig& config, const endpoints::Plans& plans,
                           const std::vector<engine::EndpointSnapshot>& last,
                           const endpoints::Endpoints& endpoints, const endpoints::Payloads& payloads);

/// Adds the results of the fault rules.
void add_fault_rules(RunStats& stats, const config::LabConfig& config, const stats::Outcome& outcome);

/// Returns the results of a finished run. `last` is its last sample, taken after the drain. The caller fills
/// in virtual_time, preempted_share, rate_tracking and sawtooth, and calls add_fault_rules().
RunStats run_stats(const config::LabConfig& config, const endpoints::Plans& plans,
                   const endpoints::Endpoints& endpoints, const endpoints::Payloads& payloads,
                   const Metrics& metrics, const stats::Sample& last, const Edge& edge = {});

}  // namespace softfeb::lab
