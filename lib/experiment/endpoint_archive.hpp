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

/// Copies from one process to another what checks, results and output files need of the endpoints of a
/// finished run, apart from their snapshots. Endpoint `e` counts boards first, then receivers. The endpoint
/// of the other process must have been created from the same configuration, and must not have run. Does not
/// copy what check_parts() excludes. `with_memory`: also copies the memory of a receiver.
void write_endpoint(endpoints::Endpoints& endpoints, std::size_t e, ArchiveWriter& out,
                    bool with_memory = true);
void read_endpoint(endpoints::Endpoints& endpoints, std::size_t e, ArchiveReader& in);

/// Copies the snapshot of an endpoint from one process to another. `endpoint`: the same endpoint in the
/// process that reads. `texts` keeps the reasons of failures to which the snapshot refers.
void write_snapshot(const engine::EndpointSnapshot& snapshot, ArchiveWriter& out);
void read_snapshot(const engine::Endpoint& endpoint, std::set<std::string>& texts, ArchiveReader& in,
                   engine::EndpointSnapshot& snapshot);

}  // namespace softfeb::experiment
