// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/cdf.hpp"

#include <cstdint>
#include <vector>

namespace softfeb::congestion {

/// Cutoffs for HomaParameters, highest level first, that give each of `levels` unscheduled levels the same
/// share of the unscheduled bytes of messages with these `lengths` (Homa, section 3.4). Returns `levels` − 1
/// lengths in bytes; `levels` is at least 1. For set-up: takes some hundred passes over the distribution.
std::vector<std::uint32_t> equal_cutoffs(const Cdf& lengths, std::uint64_t rtt_bytes, unsigned levels);

}  // namespace softfeb::congestion
