// SPDX-License-Identifier: BSD-3-Clause
#include "config/choices.hpp"
#include "config/draft.hpp"

namespace softfeb::config {
namespace {

constexpr const char* kWhat = "a rate of a switch";

/// Reads a burst. Reports a problem if there is no rate limit, because a burst has no effect without one.
void read_burst(Section& s, const char* key, std::uint64_t& burst, bool limited, const char* rates) {
  if (!s.read(key, burst, size_in(0, fabric::SchedulerConfig::kMaxBurst, "a burst")) || limited) return;
  s.reading().problem(s.find(key)->where, std::string("has an effect only with ") + rates,
                      std::string("remove it, or add ") + rates);
}

}  // namespace

void read_queue_rates(Section& s, fabric::QueueRates& rates) {
  s.read("min_rate", rates.min, network_rate(kWhat));
  s.read("max_rate", rates.max, network_rate(kWhat));
  read_burst(s, "burst", rates.burst, rates.any(), "`min_rate` or `max_rate`");
  if (rates.max != 0 && rates.min > rates.max) {
    s.reading().problem(
        s.find("min_rate")->where, "is above `max_rate`",
        "a queue is guaranteed at most what it may send: write at most " + format_bandwidth(rates.max));
  }
}

void read_scheduler(Section& s, fabric::SchedulerConfig& scheduler) {
  s.read("scheduler", scheduler.by_packets, choices::kScheduler);
  s.read("scheduler_overhead", scheduler.overhead, integer(0, fabric::SchedulerConfig::kMaxOverhead));
  s.read("port_rate", scheduler.port_rate, network_rate(kWhat));
  read_burst(s, "port_burst", scheduler.port_burst, scheduler.port_rate != 0, "`port_rate`");
}

}  // namespace softfeb::config
