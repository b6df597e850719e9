// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/departure_stamps.hpp"

#include "base/error.hpp"

#include <algorithm>

#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_mbuf_dyn.h>

namespace softfeb::dataplane {

DepartureStamps::DepartureStamps(const Mailbox<ClockMap>& clock, Time horizon)
    : clock_(clock), horizon_(horizon) {
  if (rte_mbuf_dyn_tx_timestamp_register(&field_, &flag_) == 0) return;
  throw EnvironmentError(
      std::string("no mbuf field is free for a departure time: ") + rte_strerror(rte_errno),
      "set the port's pacing to software");
}

void DepartureStamps::stamp(std::span<rte_mbuf* const> packets, std::span<const Time> departures) {
  if (packets.empty()) return;
  ClockMap map;
  clock_.read(map);
  for (std::size_t i = 0; i < packets.size(); ++i) {
    last_ = std::max(last_, map.at(departures[i] + horizon_));
    *RTE_MBUF_DYNFIELD(packets[i], field_, std::uint64_t*) = last_;
    packets[i]->ol_flags |= flag_;
  }
}

void DepartureStamps::was_late(Time late) {
  ++counters_.overruns;
  counters_.latest = std::max(counters_.latest, late);
}

}  // namespace softfeb::dataplane
