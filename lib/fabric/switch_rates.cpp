// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/network_impl.hpp"

#include <algorithm>

namespace softfeb::fabric {

/// Returns the time at which a port that has frames, but may send none of them at `now`, must try again. If
/// all waiting queues are paused, records when this began, and returns the time at which the first of these
/// pauses ends. A rate limit does not postpone this time, because the port must stop counting as paused as
/// soon as the pause ends.
Time Network::Parts::wait_to_send(Port& port, Time now) {
  const std::uint8_t waiting = port.queues.waiting();
  const auto open = static_cast<std::uint8_t>(waiting & port.told.open(now));
  if (open == 0) {
    port.blocked_since = std::min(port.blocked_since, now);
    return port.told.opens_at(waiting);
  }
  // At least one queue is not paused. Only rate limits hold it back, so the port does not count as paused.
  port.end_blocking(now);
  Time first = kNever;
  for (std::size_t q = 0; q < kQueues; ++q) {
    if ((waiting >> q & 1) == 0) continue;
    // The watchdog may permit a queue to send although its pause has not ended.
    const Time unpaused = (open >> q & 1) != 0 ? now : port.told.until(q);
    first = std::min(first, std::max(unpaused, port.limits->opens_at(q)));
  }
  return first;
}

}  // namespace softfeb::fabric
