// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/archive.hpp"
#include "config/run_config.hpp"
#include "endpoints/endpoints.hpp"
#include "engine/snapshot.hpp"

#include <cstddef>
#include <set>
#include <string>

namespace softfeb::experiment {

/// Copies from one process to another the data of an endpoint after the run: everything that checks, results
/// and output files need, except the snapshot. `e` is the index of the endpoint, boards first, then
/// receivers. The other process must have created this endpoint from the same configuration, but not have run
/// it. Data of features that check_parts() refuses is not copied. The memory of a receiver is copied only if
/// `with_memory` is true.
void write_endpoint(endpoints::Endpoints& endpoints, std::size_t e, ArchiveWriter& out,
                    bool with_memory = true);
void read_endpoint(endpoints::Endpoints& endpoints, std::size_t e, ArchiveReader& in);

/// Copies the snapshot of an endpoint from one process to another. `endpoint` is the same endpoint in the
/// reading process. `texts` stores the reasons of failures, to which the snapshot points.
void write_snapshot(const engine::EndpointSnapshot& snapshot, ArchiveWriter& out);
void read_snapshot(const engine::Endpoint& endpoint, std::set<std::string>& texts, ArchiveReader& in,
                   engine::EndpointSnapshot& snapshot);

}  // namespace softfeb::experiment
