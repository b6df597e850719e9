// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fabric/config.hpp"

#include <cstdint>

namespace softfeb::fabric {

inline constexpr std::uint64_t kMaxRate = 1'000'000'000'000;  ///< bytes per second: one byte per picosecond
inline constexpr std::uint64_t kMaxThreshold = UINT32_MAX;    ///< bytes, of a queue
inline constexpr std::uint16_t kMinQuanta = 64;               ///< pause quanta: 4 KiB at line rate

/// Validates links and switches one by one. Throws std::invalid_argument. Topology validates how they are
/// connected.
void check(const NetworkConfig& config);

}  // namespace softfeb::fabric
