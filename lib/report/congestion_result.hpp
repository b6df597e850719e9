// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/congestion.hpp"
#include "stats/control_state.hpp"

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

/// The members `congestion` of the result document (doc/result.md): algorithm, window, RTT and other
/// quantities of the algorithm.
namespace softfeb::report {

/// Returns an object for a queue pair: `algorithm`, and the quantities that the algorithm has.
nlohmann::ordered_json congestion_result(const config::CongestionConfig& congestion,
                                         const stats::ControlState& state);
/// Adds the state of a plug-in to the result of a queue pair: `counters`, if the plug-in has any, and
/// `failure`, if the algorithm has failed.
void add_plugin_state(nlohmann::ordered_json& result, const congestion::CongestionState& state);

/// Collects the quantities of congestion_result() from all queue pairs of a board.
class CongestionSummary {
 public:
  void add(const config::CongestionConfig& congestion, const stats::ControlState& state);
  /// Returns an object for the board: `algorithm`, and spread() of each quantity that any queue pair has.
  /// `algorithm` is null if the queue pairs have different algorithms, or if there are no queue pairs.
  nlohmann::ordered_json json() const;

 private:
  std::optional<std::string> algorithm_;  ///< algorithm of the last queue pair
  bool mixed_ = false;
  std::vector<std::vector<double>> values_;  ///< for each quantity, one value for each queue pair that has it
};

}  // namespace softfeb::report
