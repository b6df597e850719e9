// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/archive.hpp"
#include "config/run_config.hpp"
#include "endpoints/endpoints.hpp"
#include "stats/outcome.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace softfeb::experiment {

/// The contribution of one of several hosts to the result of a run. All times in `outcome` are on the clock
/// of the run in the host's process.
struct HostPart {
  std::size_t host = 0;  ///< index into RunConfig::hosts
  stats::Outcome outcome;
  stats::HostOutcome figures;
};

/// Copies a part, and the data of the host's endpoints that the result needs, to another process. Both
/// processes must have the same configuration. The memory of a receiver is copied only if it is to be written
/// to a file (ReceiverConfig::out).
void write_part(const config::RunConfig& config, const HostPart& part, endpoints::Endpoints& endpoints,
                ArchiveWriter& out);
void read_part(const config::RunConfig& config, ArchiveReader& in, HostPart& part,
               endpoints::Endpoints& endpoints);

/// Copies the counters of a host's endpoints to another process during a run, and converts their times to the
/// clock of the run in that process. `started` is the start of traffic on the clock of the respective
/// process.
void write_counters(const config::RunConfig& config, std::size_t host, Time started,
                    std::vector<engine::EndpointSnapshot>& endpoints, ArchiveWriter& out);
void read_counters(const config::RunConfig& config, Time started,
                   std::vector<engine::EndpointSnapshot>& endpoints, ArchiveReader& in);

/// Adds the part of another host to `all`, the outcome of this process: the counters of its boards,
/// receivers, ports and workers. Times are converted to the clock of this process's run, so that traffic
/// starts at the same time on all hosts. The duration of the run becomes the longest duration of any host.
void add_part(const config::RunConfig& config, stats::Outcome& all, const HostPart& part);

/// Returns the time from the start of traffic to the first packet of any board of `host`; nullopt if no
/// packet was sent. Ignores boards with a `start`.
std::optional<Time> first_packet(const config::RunConfig& config, std::size_t host,
                                 const stats::Outcome& outcome);

}  // namespace softfeb::experiment
