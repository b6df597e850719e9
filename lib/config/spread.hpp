// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/draft.hpp"

#include <cstddef>
#include <vector>

namespace softfeb::config {

/// Assigns a worker to each endpoint: boards first, then receivers, with replicas expanded. An endpoint
/// belongs to exactly one worker.
///
/// Endpoints that name a worker get it. The others are assigned in order of decreasing load to the least
/// loaded worker of `workers` (not empty), so that equal loads are assigned round-robin. The load of an
/// endpoint is the payload that its QPs offer or receive, in bits per second.
std::vector<std::size_t> spread(const Draft& draft, const std::vector<std::size_t>& workers);

}  // namespace softfeb::config
