// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/port_clock.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include <rte_cycles.h>
#include <rte_ethdev.h>

namespace softfeb::dataplane {
namespace {

constexpr Time kEvery = 100 * kMillisecond;
constexpr int kTries = 5;

/// Takes several readings and stores the fastest one in `out`, because slower ones may have been interrupted.
/// The time stored is the middle of the reading. Returns false if the NIC's clock cannot be read.
bool read_both(std::uint16_t port, const TscClock& clock, ClockSample& out) {
  std::uint64_t shortest = UINT64_MAX;
  for (int i = 0; i < kTries; ++i) {
    std::uint64_t ticks = 0;
    const std::uint64_t before = rte_rdtsc_precise();
    if (rte_eth_read_clock(port, &ticks) != 0) return false;
    const std::uint64_t took = rte_rdtsc_precise() - before;
    if (took >= shortest) continue;
    shortest = took;
    out = {clock.time(before + took / 2), ticks};
  }
  return true;
}

}  // namespace

PortClock::PortClock(std::uint16_t port, const std::string& name, const TscClock& clock)
    : port_(port), clock_(clock) {
  const bool first = read();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (first && read() && device_.ready()) return;
  throw EnvironmentError("port " + name + ": pacing: timestamp: the NIC's clock cannot be read",
                         "set pacing of port " + name + " to software");
}

bool PortClock::read() {
  ClockSample sample;
  if (!read_both(port_, clock_, sample)) return false;
  read_at_ = sample.time;
  device_.add(sample);
  largest_correction_ = std::max(largest_correction_, device_.correction());
  if (device_.ready()) map_.write(device_.map());
  return true;
}

void PortClock::follow() {
  if (clock_.time(rte_rdtsc()) >= read_at_ + kEvery) read();
}

}  // namespace softfeb::dataplane
