// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "fabric/config.hpp"
#include "fabric/pause.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace softfeb::fabric {

/// The PFC watchdog of an egress port (WatchdogConfig). Its decisions are made in check(), which the owner
/// calls at due(). The owner must also report pause frames, and queues that become non-empty.
class Watchdog {
 public:
  enum class Verdict : std::uint8_t { kNone, kStorm, kRestored };

  explicit Watchdog(const WatchdogConfig& config) : config_(config) { due_.fill(kNever); }

  /// Call when a pause frame arrives at `now`. `told` is the pause state before the frame changes this state.
  void before_pause(const PauseState& told, Time now) {
    for (std::size_t c = 0; c < kQueues; ++c)
      if (told.until(c) <= now) paused_since_[c] = now;
  }
  /// Call when a pause frame has changed `told`. `waiting` is the bit mask of non-empty queues.
  void after_pause(const PauseState& told, std::uint8_t waiting, Time now);
  /// Call when a queue becomes non-empty.
  void waits(std::size_t queue, const PauseState& told, Time now) {
    if (told.until(queue) > now && due_[queue] == kNever) set_due(queue, now + config_.detection);
  }
  /// Checks the queue that is due at `now`, and stores its number in `queue`. `waiting` is the bit mask of
  /// non-empty queues, and `served_at` contains the time since which each of these queues has been waiting.
  Verdict check(const PauseState& told, std::uint8_t waiting, const std::array<Time, kQueues>& served_at,
                Time now, std::size_t& queue);

  Time due() const { return next_due_; }  ///< time of the next check(); kNever if there is none
  /// Bit mask of the queues in which a storm was found that has not ended.
  std::uint8_t storms() const { return storms_; }
  bool drops(std::size_t queue) const {
    return (storms_ >> queue & 1) != 0 && config_.action == WatchdogConfig::Action::kDrop;
  }
  WatchdogConfig::Action action() const { return config_.action; }

 private:
  void set_due(std::size_t queue, Time due) {
    due_[queue] = due;
    next_due_ = *std::min_element(due_.begin(), due_.end());
  }

  WatchdogConfig config_;
  std::array<Time, kQueues> paused_since_{};
  std::array<Time, kQueues> due_{};
  Time next_due_ = kNever;
  std::uint8_t storms_ = 0;
};

}  // namespace softfeb::fabric
