// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "simulator/virtual_lab.hpp"
#include "stats/observers.hpp"

#include <cstddef>
#include <vector>

namespace softfeb::simulator {

/// Executes a run in virtual time (VirtualLab::run).
class VirtualRun {
 public:
  VirtualRun(const config::RunConfig& config, endpoints::Endpoints& endpoints, EventLoop& world,
             const std::vector<stats::Observer*>& observers, const VirtualLab::Between& between);
  VirtualOutcome run();

 private:
  /// An action with a scheduled time.
  struct Action {
    enum class Kind : std::uint8_t { kStart, kChange, kStop };
    Time at = 0;  ///< on the clock of the EventLoop
    Kind kind = Kind::kStart;
    std::size_t index = 0;  ///< index of the board, or of the change in the configuration
  };

  void find_neighbours();
  void plan_actions();
  void act(const Action& action);
  void change(const config::ChangeConfig& change);
  void drain();
  void settle();
  /// Runs until `until` or, with `for_boards`, until all boards are finished. Returns false if the run ends
  /// early.
  bool go(Time until, bool for_boards);
  bool finished() const;
  stats::Sample sample();
  void take(std::vector<engine::EndpointSnapshot>& out) const;

  const config::RunConfig& config_;
  endpoints::Endpoints& endpoints_;
  EventLoop& world_;
  stats::Observers observers_;
  const VirtualLab::Between& between_;
  std::vector<engine::Endpoint*> all_;
  std::vector<Action> actions_;
  std::size_t next_action_ = 0;
  std::vector<engine::EndpointSnapshot> snapshots_;
  VirtualOutcome out_;
};

}  // namespace softfeb::simulator
