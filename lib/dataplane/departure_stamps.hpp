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
  std::uint64_t overruns = 0;  ///< number of iterations that were late by more than slack()
  Time latest = 0;             ///< largest lateness of an iteration, minus slack()
};

/// Writes departure times into the packets of one TX queue, using DPDK's dynamic mbuf field and flag for
/// RTE_ETH_TX_OFFLOAD_SEND_ON_TIMESTAMP. A packet departs one horizon after its scheduled time, so worker
/// delays of up to half the horizon do not affect departure times. Used by one worker; shares no cache line
/// with other objects.
class alignas(64) DepartureStamps {
 public:
  /// `clock` must outlive this object and already contain a map. Throws EnvironmentError when DPDK has no
  /// room for the dynamic field.
  DepartureStamps(const Mailbox<ClockMap>& clock, Time horizon);

  /// An iteration may be this far behind the schedule without affecting departure times: half of the
  /// horizon. The other half is reserved for the iteration itself and for the NIC, which must fetch the
  /// packet in time.
  Time slack() const { return horizon_ / 2; }
  Time horizon() const { return horizon_; }

  /// Stamps packets[i] to depart one horizon after departures[i], but never before the packet stamped
  /// previously, because the packets of a queue leave in order.
  void stamp(std::span<rte_mbuf* const> packets, std::span<const Time> departures);

  /// Records that the schedule fell behind by the slack plus `late`.
  void was_late(Time late);
  const DepartureCounters& counters() const { return counters_; }

 private:
  const Mailbox<ClockMap>& clock_;
  Time horizon_;
  int field_ = -1;          ///< offset of the dynamic field in the mbuf
  std::uint64_t flag_ = 0;  ///< the dynamic flag's bit in ol_flags
  std::uint64_t last_ = 0;  ///< last stamp, in ticks of the NIC's clock
  DepartureCounters counters_;
};

}  // namespace softfeb::dataplane
