// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace softfeb::simulator {

/// Place of an event among the events of a whole network, which several event loops may simulate in parts.
/// A single event loop processes its events in the order of this class: at each moment, it takes the first
/// of those that are pending. Each part keeps this order among its own events (EventLoop), so merge() finds
/// the order of all of them.
struct Order {
  std::uint64_t step = 0;  ///< number of the call of PartedLoop during which the event happened
  Time at = 0;
  std::uint32_t phase = 0;  ///< 0: the network and what follows from a delivery; 1: an endpoint acts
  /// Endpoint, or twice the direction of the link. Plus 1: the event belongs to the sender of a link between
  /// two parts, whose events follow those of the receiver.
  std::uint32_t party = 0;
  auto operator<=>(const Order&) const = default;
};

/// Passes the entries of all logs to `take` in the order in which a single event loop would have made them.
/// Each log contains the entries of one part, in the order in which it has made them. An entry has a member
/// `order`.
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
