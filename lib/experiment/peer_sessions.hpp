// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "endpoints/events.hpp"
#include "endpoints/payloads.hpp"
#include "endpoints/targets.hpp"
#include "experiment/setup.hpp"
#include "runtime/dpdk_runtime.hpp"
#include "stats/outcome.hpp"

/// The TCP sessions with remote receivers (perftest, rdma-sink), before and after the traffic.
namespace softfeb::experiment {

/// Requests queue pairs from every remote receiver. During the wait for their answers, this host's addresses
/// answer ARP, because the receivers must resolve these addresses. Throws PeerError, ConfigError.
void connect_sessions(const Setup& setup, runtime::DpdkRuntime& dpdk, endpoints::Targets& targets,
                      const endpoints::Payloads& payloads);

/// Tells the receivers that the run is over. Stores the receivers' reports in the sessions. Stores the
/// goodput that the receivers measured in Outcome::reported. `events` is the event data of the run's boards.
void end_sessions(const config::RunConfig& config, const endpoints::EventData& events,
                  endpoints::Targets& targets, stats::Outcome& outcome);

}  // namespace softfeb::experiment
