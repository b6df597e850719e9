// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"

#include <cstdint>

namespace softfeb::fabric {

inline constexpr std::uint64_t kMaxRate = 1'000'000'000'000;  ///< a picosecond for each byte
inline constexpr std::uint64_t kMaxThreshold = UINT32_MAX;    ///< of a queue
inline constexpr std::uint16_t kMinQuanta = 64;               ///< 4 KiB of the link's time

/// Throws std::invalid_argument for values of links and switches that make no sense by themselves. What is
/// connected with what is Topology's.
void check(const NetworkConfig& config);

}  // namespace softfeb::fabric
