// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "dataplane/device_clock.hpp"
#include "dataplane/rings.hpp"

#include <cstdint>
#include <span>

struct rte_mbuf;

namespace softfeb::dataplane {

struct DepartureCounters {
  std::uint64_t late_turns = 0;  ///< the worker came later than the horizon makes up for
  Time latest = 0;               ///< and by how much beyond that, at most
};

/// Writes into packets when they are to leave, for one TX queue (DPDK's dynamic field and flag for
/// RTE_ETH_TX_OFFLOAD_SEND_ON_TIMESTAMP): one horizon after the time that the schedule gave them. As long as
/// the worker is not late by as much, its lateness does not show. One worker's: shares no cache line.
class alignas(64) DepartureStamps {
 public:
  /// `clock` outlives it, and holds a map. Throws EnvironmentError when DPDK has no room for the field.
  DepartureStamps(const Mailbox<ClockMap>& clock, Time horizon);

  /// By how much the schedule may be behind: the other half of the horizon is for the turn itself, and for
  /// the NIC to fetch the packet.
  Time slack() const { return horizon_ / 2; }
  Time horizon() const { return horizon_; }

  /// packets[i] leaves a horizon after departures[i]; never before the one stamped before it, since a queue
  /// keeps its order.
  void stamp(std::span<rte_mbuf* const> packets, std::span<const Time> departures);

  /// The worker's schedule is behind by `late` beyond the slack.
  void was_late(Time late);
  const DepartureCounters& counters() const { return counters_; }

 private:
  const Mailbox<ClockMap>& clock_;
  Time horizon_;
  int field_ = -1;          ///< place in the mbuf
  std::uint64_t flag_ = 0;  ///< of ol_flags
  std::uint64_t last_ = 0;  ///< ticks
  DepartureCounters counters_;
};

}  // namespace softfeb::dataplane
