// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace softfeb::simulator {

/// Position of an event in the order of all events of a network, which several event loops may simulate in
/// parts. A single event loop processes its events in this order: it always takes the first of the pending
/// events. Each part keeps this order among its own events (EventLoop), so merge() can reconstruct the order
/// of all events.
struct Order {
  /// Number of the call of PartedLoop::run_until() or change() during which the event happened.
  std::uint64_t step = 0;
  Time at = 0;
  /// 0 for events of the network and for the consequences of a delivery; 1 if an endpoint acts on its own.
  std::uint32_t phase = 0;
  /// Index of the endpoint (phase 1), or twice the index of the link's direction (phase 0). On a link between
  /// two parts, 1 is added for events at the sending end, which follow the events at the receiving end.
  std::uint32_t party = 0;
  auto operator<=>(const Order&) const = default;
};

/// Passes the entries of all logs to `take` in the order in which a single event loop would have created
/// them. Each log contains the entries of one part in the order in which they were created. An entry has a
/// member `order`.
template <class Entry, class Take>
void merge(std::span<const std::vector<Entry>> logs, Take&& take) {
  std::vector<std::size_t> next(logs.size(), 0);
  for (;;) {
    std::size_t first = logs.size();
    for (std::size_t i = 0; i < logs.size(); ++i) {
      if (next[i] == logs[i].size()) continue;
      if (first == logs.size() || logs[i][next[i]].order < logs[first][next[first]].order) first = i;
    }
    if (first == logs.size()) return;
    take(logs[first][next[first]++]);
  }
}

}  // namespace softfeb::simulator
