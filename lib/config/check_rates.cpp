// SPDX-License-Identifier: BSD-3-Clause
#include "config/checks.hpp"
#include "config/draft.hpp"
#include "config/units.hpp"

#include <algorithm>
#include <numeric>

namespace softfeb::config {

namespace {

/// Rate of the slowest port of a switch.
std::uint64_t lowest_rate(const LabConfig& config, std::uint32_t sw) {
  const fabric::NodeRef self{fabric::NodeRef::Kind::kSwitch, sw};
  const std::uint64_t limit = config.network.switches[sw].scheduler.port_rate;
  std::uint64_t lowest = limit != 0 ? limit : UINT64_MAX;
  for (const fabric::LinkConfig& link : config.network.links)
    if (link.a == self || link.b == self) lowest = std::min(lowest, link.rate);
  return lowest;
}

}  // namespace

void check_rates(Reading& reading, const LabConfig& config, const SwitchDraft& draft, std::uint32_t sw) {
  const auto& queues = draft.config.queues;
  const std::uint64_t guaranteed =
      std::accumulate(queues.begin(), queues.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const fabric::QueueConfig& q) { return sum + q.rates.min; });
  const std::uint64_t lowest = lowest_rate(config, sw);
  if (guaranteed <= lowest) return;
  reading.problem(config.run.place(draft.where, "queues"),
                  "the `min_rate` of all queues, " + format_bandwidth(guaranteed) +
                      " in total, is more than a port of \"" + config.network.switches[sw].name +
                      "\" can send",
                  "guarantee at most " + format_bandwidth(lowest) + " in total");
}

}  // namespace softfeb::config
