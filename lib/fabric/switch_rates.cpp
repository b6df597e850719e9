// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/network_impl.hpp"

#include <algorithm>

namespace softfeb::fabric {

/// Returns the time at which a port that has frames, but may not send any at `now`, must be asked again. If
/// pauses stop all waiting queues, notes since when, and this is the end of the first pause, even if a rate
/// limit lasts longer: the port has not been paused from then on.
Time Network::Parts::wait_to_send(Port& port, Time now) {
  const std::uint8_t waiting = port.queues.waiting();
  const auto open = static_cast<std::uint8_t>(waiting & port.told.open(now));
  if (open == 0) {
    port.blocked_since = std::min(port.blocked_since, now);
    return port.told.opens_at(waiting);
  }
  // Only limits hold back a queue that is not paused.
  port.end_blocking(now);
  Time first = kNever;
  for (std::size_t q = 0; q < kQueues; ++q) {
    if ((waiting >> q & 1) == 0) continue;
    // The watchdog opens queues whose pause has not ended.
    const Time unpaused = (open >> q & 1) != 0 ? now : port.told.until(q);
    first = std::min(first, std::max(unpaused, port.limits->opens_at(q)));
  }
  return first;
}

}  // namespace softfeb::fabric
