// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/network_impl.hpp"

#include <algorithm>

namespace softfeb::fabric {

/// Carries out the watchdog's check that is due at port `p`.
void Network::Parts::check_watchdog(std::uint16_t p, Time now) {
  Port& port = ports[p];
  std::size_t queue = 0;
  const auto verdict = port.watchdog->check(port.told, port.queues.waiting(), port.served_at, now, queue);
  set_delayed(port.channel);
  if (verdict == Watchdog::Verdict::kNone) return;
  if (verdict == Watchdog::Verdict::kStorm) {
    ++port.counters.watchdog_storms;
    if (port.watchdog->drops(queue)) drop_queue(port, queue, now);
  } else {
    ++port.counters.watchdog_restored;
  }
  if (port.watchdog->action() == WatchdogConfig::Action::kForward) {
    port.told.ignore(port.watchdog->storms());
    port.forced = port.watchdog->storms();
  }
  transmit(p, now);
  resume_others(switches[port.switch_index], now);
}

/// Drops all frames of a queue.
void Network::Parts::drop_queue(Port& port, std::size_t queue, Time now) {
  Time& starved = port.counters.queues[queue].starved;
  starved = std::max(starved, now - port.served_at[queue]);
  while (Frame* const frame = port.pop(static_cast<std::uint8_t>(1U << queue))) {
    after_leaving(port, *frame, now);
    drop_in_storm(port, frame);
  }
}

void Network::Parts::drop_in_storm(Port& port, Frame* frame) {
  ++port.counters.watchdog_dropped;
  ++port.counters.dropped;
  ++port.counters.queues[frame->queue].dropped;
  drop(frame, totals.dropped_buffer);
}

}  // namespace softfeb::fabric
