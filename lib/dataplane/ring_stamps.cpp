// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/ring_stamps.hpp"

#include "dataplane/tsc_clock.hpp"

#include <algorithm>
#include <array>

#include <rte_cycles.h>

namespace softfeb::dataplane {

void RingStamps::put(latency::MessageKey key, latency::Stage stage, Time at) {
  if (ring_.push({key, at, stage})) return;
  lost_.store(lost_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

Time RingStamps::clock(Time now) {
  return clock_ == nullptr ? now : std::max(now, clock_->time(rte_rdtsc()));
}

void RingStamps::drain(latency::StageTable& table) {
  std::array<Stamp, 256> stamps;
  for (std::size_t n = stamps.size(); n == stamps.size();) {
    n = ring_.pop_bulk(stamps);
    for (std::size_t i = 0; i < n; ++i) table.put(stamps[i].key, stamps[i].stage, stamps[i].at);
  }
  const std::uint64_t lost = lost_.load(std::memory_order_relaxed);
  table.lose_stamps(lost - lost_seen_);
  lost_seen_ = lost;
}

}  // namespace softfeb::dataplane
