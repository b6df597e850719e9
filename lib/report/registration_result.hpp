// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "endpoints/endpoints.hpp"

#include <cstddef>
#include <optional>

#include <nlohmann/json.hpp>

namespace softfeb::report {

/// Adds `transfers` (doc/result.md) to the result of receiver `index`, if transfers are sent to this
/// receiver.
void add_transfers(nlohmann::ordered_json& json, const endpoints::Endpoints& endpoints, std::size_t index);

/// Adds the object `ordering` with the counters of the receiver's table of unordered WRITEs, if the receiver
/// has the key `ordering: any`.
void add_ordering(nlohmann::ordered_json& json, const endpoints::Endpoints& endpoints, std::size_t index);

/// Mean time from the posting of a transfer to its notification, over all receivers, in microseconds. Empty
/// if there are no transfers, or if there was no notification for a transfer.
std::optional<double> transfer_latency_us(const endpoints::Endpoints& endpoints);

}  // namespace softfeb::report
