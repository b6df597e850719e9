// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switchtest/departure_order.hpp"
#include "switchtest/freeze.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::switchtest {

/// The frames that fill one queue.
struct QueueFill {
  std::uint8_t dscp = 0;
  std::uint32_t size = 0;  ///< with FCS
  std::uint64_t frames = 0;
};

/// Fills queues of port D, and records the order in which frames leave the queues. Port D pauses the switch
/// while the queues fill. If the switch does not obey pauses, ports A and B each send to one queue at line
/// rate. Both queues then fill up, unless one queue has strict priority over the other.
class SchedulerTrials {
 public:
  explicit SchedulerTrials(Context& ctx) : ctx_(ctx) {}

  /// Fills these queues and lets port D drain them. Returns the departures, in which Departure::queue is an
  /// index into `fills`. On failure, returns std::nullopt; failure() is then the reason.
  std::optional<std::vector<Departure>> drain(const std::vector<QueueFill>& fills);
  /// True if port D can pause all queues of these DSCPs.
  bool can_freeze(const std::vector<QueueFill>& fills);

  const std::string& failure() const { return failure_; }
  /// True if the latest trial of drain() failed because of the rig, not because of the switch.
  bool rig_failed() const { return rig_failed_; }
  /// Largest error of the times of the latest departures.
  Time time_error() const { return time_error_; }

 private:
  std::optional<FreezeTrial> frozen(const std::vector<QueueFill>& fills);
  std::optional<std::vector<Departure>> drain_frozen(const std::vector<QueueFill>& fills);
  std::optional<std::vector<Departure>> drain_overloaded(std::vector<QueueFill> fills);
  Trial overload(const std::vector<QueueFill>& fills) const;
  std::optional<TrialResult> take(std::optional<TrialResult> result);
  FrameKind kind_of(const QueueFill& fill) const;

  Context& ctx_;
  std::string failure_;
  bool rig_failed_ = false;
  Time time_error_ = 0;
};

}  // namespace softfeb::switchtest
