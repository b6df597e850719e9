// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/draft.hpp"

#include <cstddef>
#include <vector>

namespace softfeb::config {

/// The worker of each endpoint, boards first, then receivers, replicas counted one by one. An endpoint
/// belongs to one worker as a whole. Those that name a worker have it; the others go, the busiest first, to
/// that of `workers` (not empty) which has least to do, so that equal ones are dealt out in turn. What an
/// endpoint has to do is what its QPs offer, or are sent, in bits of payload a second.
std::vector<std::size_t> spread(const Draft& draft, const std::vector<std::size_t>& workers);

}  // namespace softfeb::config
