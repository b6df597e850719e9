// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/watchdog.hpp"

namespace softfeb::fabric {

/// Updates the times of the checks. For a class with waiting frames, a pause frame may start the detection
/// time. For a class in a storm, a pause frame postpones the end of the storm.
void Watchdog::after_pause(const PauseState& told, std::uint8_t waiting, Time now) {
  for (std::size_t c = 0; c < kQueues; ++c) {
    if ((storms_ >> c & 1) != 0) {
      set_due(c, told.until(c) + config_.restoration);
    } else if ((waiting >> c & 1) != 0) {
      waits(c, told, now);
    }
  }
}

Watchdog::Verdict Watchdog::check(const PauseState& told, std::uint8_t waiting,
                                  const std::array<Time, kQueues>& served_at, Time now, std::size_t& queue) {
  queue = static_cast<std::size_t>(std::find(due_.begin(), due_.end(), next_due_) - due_.begin());
  const auto bit = static_cast<std::uint8_t>(1U << queue);
  if ((storms_ & bit) != 0) {
    set_due(queue, kNever);
    storms_ = static_cast<std::uint8_t>(storms_ & ~bit);
    return Verdict::kRestored;
  }
  if (told.until(queue) <= now || (waiting & bit) == 0) {
    set_due(queue, kNever);
    return Verdict::kNone;
  }
  const Time storm = std::max(paused_since_[queue], served_at[queue]) + config_.detection;
  if (storm > now) {
    set_due(queue, storm);
    return Verdict::kNone;
  }
  storms_ = static_cast<std::uint8_t>(storms_ | bit);
  set_due(queue, told.until(queue) + config_.restoration);
  return Verdict::kStorm;
}

}  // namespace softfeb::fabric
