// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/lab_stats.hpp"

#include "lab/run_stats.hpp"

#include <utility>

namespace softfeb::experiment {

lab::RunStats lab_stats(const config::LabConfig& config, Driver& driver, const stats::Outcome& o,
                        const lab::Metrics& metrics) {
  const stats::Sample last{.at = o.ended - o.started,
                           .origin = o.started,
                           .endpoints = &o.final,
                           .network = o.network ? &*o.network : nullptr};
  lab::RunStats stats = lab::run_stats(config, driver.plans(), driver.endpoints(), driver.payloads(), metrics,
                                       last, driver.network_edge(o));
  for (lab::Balance& balance : driver.balances()) stats.balances.push_back(std::move(balance));
  stats.virtual_time = driver.virtual_time();
  return stats;
}

}  // namespace softfeb::experiment
