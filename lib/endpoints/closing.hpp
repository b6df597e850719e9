// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/time.hpp"
#include "endpoints/endpoints.hpp"
#include "endpoints/plan.hpp"
#include "engine/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

/// Completes the maps of the receivers at the end of a run.
namespace softfeb::endpoints {

/// Marks the messages that were sent but never arrived as missing in the receivers' maps. Closes the
/// receivers' windows. Also finishes the receivers' streams and event builders. `final` contains the
/// statistics after the run, which ended at `now`.
void close_maps(const Plans& plans, const std::vector<engine::EndpointSnapshot>& final, Time now,
                Endpoints& endpoints);

/// Number of messages that belong to closed windows of a receiver but were never sent, because some streams
/// stopped before others.
std::uint64_t not_sent(const Plans& plans, const std::vector<engine::EndpointSnapshot>& final,
                       const Endpoints& endpoints, std::size_t receiver);

}  // namespace softfeb::endpoints
