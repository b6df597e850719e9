// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/message_lengths.hpp"
#include "config/run_config.hpp"
#include "endpoints/plan.hpp"
#include "engine/message_times.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace softfeb::endpoints {

/// Distribution and seed of the QP's message lengths. Empty if the lengths are not random. Every QP of a run
/// has a seed of its own, derived from the seed of its traffic.
MessageLengths lengths_of(const config::RunConfig& config, const QpPlan& plan);

/// Completion times and arrivals of a board's QPs with random traffic.
struct BoardMessages {
  std::shared_ptr<engine::CompletionTimes> times;  ///< null if the board has no such QP
  /// Arrivals of those QPs whose number of messages (`messages`) is not limited.
  std::vector<std::shared_ptr<engine::Arrivals>> arrivals;
};

/// Number of messages that had arrived before the board's traffic ended, or before `end` if that is earlier,
/// but were never posted.
std::uint64_t backlog_of(const BoardMessages& messages, Time end);

/// Creates the settings of QPs with random traffic, and the objects that they share.
class RandomTraffic {
 public:
  explicit RandomTraffic(const config::RunConfig& config) : config_(config), boards_(config.boards.size()) {}

  /// Returns null if neither the lengths nor the arrivals of the QP's messages are random.
  std::shared_ptr<const engine::MessageTimesConfig> of(const QpPlan& plan);
  /// Indexed like RunConfig::boards.
  std::vector<BoardMessages> take_boards() { return std::move(boards_); }

 private:
  std::shared_ptr<engine::Arrivals> arrivals_of(const QpPlan& plan);

  const config::RunConfig& config_;
  std::vector<BoardMessages> boards_;
  /// Arrivals that the QPs of a group share, by board and group.
  std::map<std::pair<std::size_t, const config::QpConfig*>, std::shared_ptr<engine::Arrivals>> shared_;
};

}  // namespace softfeb::endpoints
