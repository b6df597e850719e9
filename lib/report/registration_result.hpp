// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "endpoints/endpoints.hpp"

#include <cstddef>

#include <nlohmann/json.hpp>

namespace softfeb::report {

/// Adds `transfers` (doc/result.md) to the result of receiver `index`, if transfers are sent to it.
void add_transfers(nlohmann::ordered_json& json, const endpoints::Endpoints& endpoints, std::size_t index);

}  // namespace softfeb::report
