// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "detector/builder_layout.hpp"
#include "endpoints/plan.hpp"
#include "peers/peer.hpp"

#include <string>

/// Events that boards send to rdma-sink. Both softfeb and rdma-sink check that they use the same layout of
/// events.
namespace softfeb::endpoints {

/// Returns the layout of the events that the queue pair sends. Its board must have `events`.
detector::BuilderLayout builder_layout_of(const config::RunConfig& config, const QpPlan& plan);

/// Completes the description of a session whose queue pairs send events: one queue pair for each board.
void describe_events(const detector::BuilderLayout& events, peers::LocalEndpoint& local);

/// Throws ConfigError if the rdma-sink at `url` does not build events with the layout `events`. `where` is
/// the place of the key `to` in the configuration.
void check_builder(const config::Where& where, const std::string& url, const detector::BuilderLayout& events,
                   const peers::RemoteEndpoint& remote);

/// Throws ConfigError at `where` if rdma-sink has refused the session because of its own options. Otherwise,
/// throws `error`.
[[noreturn]] void rethrow_at(const config::Where& where, const peers::PeerError& error);

}  // namespace softfeb::endpoints
